import type { Topic } from "../topic.ts";

/** For keywords that point nowhere in particular. */
export const general: Topic = {
  name: "general",
  words: [],
  captions: ["Notes worth keeping", "A short guide", "Kept for later", "Plain and useful", "One good idea"],
  tails: [
    "what to know before you start",
    "a plain guide for curious people",
    "small steps that add up",
    "the useful parts, kept short",
    "where to begin and what to skip",
    "ideas you can use this week",
    "a thoughtful place to start",
    "clear, calm and practical",
  ],
  asides: ["made simple", "step by step", "in plain words", "for curious beginners", "without the jargon"],
  leads: [
    "A calm introduction to {np}",
    "Where to begin with {np}",
    "The useful parts of {np}",
    "A little more about {np}",
  ],
  openings: [
    "There is a simple way into {np}, and it begins with one small step.",
    "If you have been curious about {np}, this is a friendly place to start.",
    "A few clear thoughts on {np}, without the noise that usually surrounds it.",
    "It is easy to make too much of {np}; here are the parts that matter.",
    "Take {np} one piece at a time and all of it soon feels familiar.",
  ],
  bodies: [
    "Decide what a good result would look like before you choose how to get there.",
    "Begin with what you have, and buy or change something only when you know why.",
    "Half an hour, kept up every week, goes further than a single long day.",
    "Ask someone who has done it what they would leave out.",
    "Write down what worked while it is fresh, because memory tidies things up.",
    "Give it a fair try before you compare it with anyone else's.",
    "Keep the first version small enough to finish.",
    "When you are stuck, change one thing only and look again.",
    "Leave some room for surprise, which is where the pleasure tends to hide.",
  ],
};
