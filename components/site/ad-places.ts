/** The ids by which the question about ad measurement and the way back to it give each other the focus. */
export const AD_QUESTION_ID = "ad-consent-title";
export const AD_CHOICE_ID = "ad-choice";
