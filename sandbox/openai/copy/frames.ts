/** Sentences that fit any topic. `{np}`, `{Kw}`, `{verb}`, `{host}` are filled in. */

export const openings: readonly string[] = [
  "Good ideas for {np} are often the plain ones, looked at again.",
  "There is no need to force {np}; a light touch does more.",
  "This is how we would explain {np} to a friend across the kitchen table.",
  "If you have had {np} at the back of your mind, let this be the nudge.",
  "A little thought given to {np} early on saves a good deal of trouble later.",
];

export const howToOpenings: readonly string[] = [
  "Learning how to {verb} is mostly a matter of doing it twice.",
  "If you have wondered how to {verb}, begin with the smallest part of it.",
  "You can {verb} without special tools or talent, as long as you are not in a hurry.",
  "The first time you {verb} will be slow, and that is quite all right.",
  "Here is how to {verb}, in the order that makes it easiest.",
  "Anyone can {verb} once the first two steps are clear.",
];

export const howToTails: readonly string[] = [
  "step by step",
  "without the guesswork",
  "explained plainly",
  "the patient way",
  "even the first time",
  "one clear step at a time",
  "and enjoy it",
  "from the very beginning",
];

export const questionOpenings: readonly string[] = [
  "It is a fair question, and the honest answer is shorter than you might expect.",
  "Plenty of people ask this one quietly, so here is an answer in plain words.",
  "The short answer depends on two or three things you can check today.",
  "Before you change anything, it helps to know what is really going on.",
  "There is more than one right answer here, but a few hold almost everywhere.",
];

export const questionTails: readonly string[] = [
  "A plain answer",
  "What to check first",
  "The short answer, and the longer one",
  "Here is what helps",
  "A calm explanation",
  "What usually works",
];

export const closings: readonly string[] = [
  "Save this for the day you need it.",
  "Keep it somewhere you will find it again, and start when the moment is right.",
  "Pin it now, and come back with a cup of something warm.",
  "Try one part of it this week and see how it feels.",
  "Put it by for a free afternoon.",
  "Share it with the friend who has been talking about this for months.",
  "Come back to it whenever you need a fresh start.",
  "Save it for later, and let later be soon.",
  "Keep the parts that suit you and make them your own.",
  "Tuck it away for the weekend.",
];

export const linkClosings: readonly string[] = [
  "The full piece is on {host}.",
  "You will find the rest, at leisure, on {host}.",
  "Follow the link to {host} for the whole of it.",
  "There is more to read on {host} when you are ready.",
  "See the complete version on {host}, and save this so that you find it again.",
];

export const altTexts: readonly string[] = [
  "Tall illustrated poster in a few flat colours. The headline reads “{headline}” in large serif letters, with a line of small capitals at the foot: {caption}.",
  "An illustration of simple paper-like shapes with the title “{headline}” and the small line “{caption}” at the bottom.",
  "Portrait-format drawing in calm, flat tones. A serif title says “{headline}”; a caption at the foot says “{caption}”.",
  "Illustrated pin about {np}: flat, softly coloured shapes, the title “{headline}” in big letters, and the words “{caption}” below.",
  "A poster drawn in plain shapes and a handful of colours, titled “{headline}”, with “{caption}” in small capitals along the lower edge.",
];
