/** Sentences that answer a word in the keyword, whatever its topic. */
export const modifiers: readonly { pattern: RegExp; sentences: readonly string[] }[] = [
  {
    pattern: /\b(easy|simple|beginner|beginners|basic|first|starter|101)\b/,
    sentences: [
      "Nothing here asks for experience, only for a little attention.",
      "If it is your first time, do it slowly and let the result be modest.",
      "The simple version is often the one you keep, so there is no hurry to make it clever.",
    ],
  },
  {
    pattern: /\b(cheap|budget|frugal|affordable|thrift|thrifted|free|low cost)\b/,
    sentences: [
      "It need not cost much; care goes further here than money does.",
      "Look in your own cupboards and in second-hand shops before you buy anything new.",
      "Set a small figure at the start and treat it as part of the fun.",
    ],
  },
  {
    pattern: /\b(small|tiny|mini|compact|studio|one bedroom)\b/,
    sentences: [
      "Small is an advantage, because every choice shows and nothing is wasted.",
      "When there is little room, let each thing earn its place twice.",
      "A small scale is a good place to learn, and quick to put right.",
    ],
  },
  {
    pattern: /\b(quick|fast|minute|minutes|min|lazy|last minute|weeknight|weeknights|busy)\b/,
    sentences: [
      "It fits into a busy day if you lay things out beforehand.",
      "Quick does not mean careless: the time is saved by leaving steps out, never by rushing them.",
      "When time is short, do the first half well and stop there.",
    ],
  },
  {
    pattern: /\b(healthy|light|clean eating|nourishing|low calorie|high protein)\b/,
    sentences: [
      "Good for you and good to have are closer together than they sound.",
      "Choose the version you will gladly repeat, since that is the healthy one.",
    ],
  },
  {
    pattern: /\b(kid|kids|children|toddler|toddlers|family|families)\b/,
    sentences: [
      "Small helpers slow things down and make them better, so plan for both.",
      "It works with children about, which is really the only test that counts.",
    ],
  },
  {
    pattern: /\b(winter|autumn|fall|cold|cosy|cozy|december|november|january|christmas)\b/,
    sentences: [
      "It suits the short days, when the lamps go on early and nobody minds staying in.",
      "Cold weather is on your side here: there is time, and there is tea.",
    ],
  },
  {
    pattern: /\b(summer|spring|sunny|june|july|august|may|april)\b/,
    sentences: [
      "Long evenings help, so take it outside if you can.",
      "It belongs to the light half of the year, with the windows open.",
    ],
  },
  {
    pattern: /\b(modern|minimal|minimalist|contemporary|scandinavian|japandi)\b/,
    sentences: [
      "Clean lines need warm materials beside them, or they turn cold.",
      "Keep the number of things low and their quality high.",
    ],
  },
  {
    pattern: /\b(vintage|rustic|retro|antique|cottage|cottagecore|farmhouse|boho)\b/,
    sentences: [
      "A mark or a mend is part of the charm, so do not look for perfect.",
      "Old things mix best when they share a colour or a material.",
    ],
  },
  {
    pattern: /\b(vegan|vegetarian|plant based|gluten free|dairy free)\b/,
    sentences: [
      "Nobody at the table will feel that anything is missing.",
      "It is generous food first, and the label comes second.",
    ],
  },
  {
    pattern: /\b(ideas|idea|inspiration|tips|hacks|designs)\b/,
    sentences: [
      "Take two ideas that suit you and leave the others for somebody else.",
      "You do not need all of it; one good idea, carried out, is plenty.",
    ],
  },
];
