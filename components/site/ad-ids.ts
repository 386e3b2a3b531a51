/** Element ids with which the banner and the footer's button move the focus to each other. */
export const AD_BANNER_ID = "ad-consent-title";
export const AD_CHOICE_ID = "ad-choice";
