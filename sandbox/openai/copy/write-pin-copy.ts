import { createRandom, hashText, pick, pickSome, type Random } from "../seed.ts";
import { capitalised } from "./casing.ts";
import * as frames from "./frames.ts";
import { headlineOf } from "./headline.ts";
import { modifiers } from "./modifiers.ts";
import { type Phrase, readPhrase } from "./phrase.ts";
import type { PinRequest } from "./pin-request.ts";
import type { Topic } from "./topic.ts";
import { detectTopic } from "./topics/index.ts";

/** The words of one pin. Titles have at most 100 characters, descriptions 800 (mostly near 500), alt texts 500. */
export type PinCopy = { title: string; description: string; altText: string };

const TITLE_CHARS = 100;
const DESCRIPTION_CHARS = 800;
const DESCRIPTION_AIM_CHARS = 430;
const ALT_TEXT_CHARS = 500;
const KEYWORD_CHARS = 72;

/** Writes a pin about a keyword. The same request always gets the same words; others differ. */
export function writePinCopy({ keyword, host, insteadOf }: PinRequest): PinCopy {
  const short = shorten(keyword, KEYWORD_CHARS);
  const random = createRandom(hashText(`copy ${keyword} ${host ?? ""}${insteadOf ?? ""}`));
  const phrase = readPhrase(short);
  const topic = detectTopic(keyword);
  return {
    title: shorten(writeTitle(random, phrase, topic), TITLE_CHARS),
    description: writeDescription(random, short, phrase, topic, host),
    altText: writeAltText(random, keyword, phrase, topic),
  };
}

/** The small line on the poster of a keyword. */
export function captionOf(keyword: string): string {
  return pick(createRandom(hashText(`caption ${keyword}`)), detectTopic(keyword).captions);
}

function writeTitle(random: Random, phrase: Phrase, topic: Topic): string {
  const choice = random();
  if (phrase.shape === "question")
    return longest(phrase.title, `${phrase.title}? ${pick(random, frames.questionTails)}`);
  if (phrase.shape === "how-to") return longest(phrase.title, `${phrase.title}, ${pick(random, frames.howToTails)}`);
  if (choice < 0.45) return longest(phrase.title, `${phrase.title}: ${pick(random, topic.tails)}`);
  if (choice < 0.7) return longest(phrase.title, `${phrase.title}, ${pick(random, topic.asides)}`);
  const lead = fill(pick(random, topic.leads), { np: phrase.fullPhrase });
  return longest(`${phrase.title}, ${pick(random, topic.asides)}`, capitalised(lead));
}

/** The longer title where it fits, else the plain one. */
function longest(plain: string, full: string): string {
  return full.length <= TITLE_CHARS ? full : plain;
}

function writeOpening(random: Random, phrase: Phrase, topic: Topic): string {
  if (phrase.shape === "question") return `${phrase.title}? ${pick(random, frames.questionOpenings)}`;
  if (phrase.shape === "how-to") return fill(pick(random, frames.howToOpenings), { verb: phrase.verbPhrase });
  const isTopical = random() < 0.72;
  return fill(pick(random, isTopical ? topic.openings : frames.openings), { np: phrase.nounPhrase });
}

function writeDescription(random: Random, keyword: string, phrase: Phrase, topic: Topic, host?: string): string {
  const opening = capitalised(writeOpening(random, phrase, topic));
  const closing = host ? fill(pick(random, frames.linkClosings), { host }) : pick(random, frames.closings);
  const answers = modifiers.filter(({ pattern }) => pattern.test(keyword.toLowerCase().replaceAll("-", " ")));
  const advice = pickSome(random, topic.bodies, 5);
  if (answers.length > 0) advice.splice(1, 0, pick(random, pick(random, answers).sentences));
  const sentences = [opening];
  for (const sentence of advice) {
    const length = [...sentences, closing].join(" ").length;
    if (length < DESCRIPTION_AIM_CHARS && length + sentence.length < DESCRIPTION_CHARS) sentences.push(sentence);
  }
  return shorten([...sentences, closing].join(" "), DESCRIPTION_CHARS);
}

function writeAltText(random: Random, keyword: string, phrase: Phrase, topic: Topic): string {
  const headline = headlineOf(keyword).join(" ");
  const np = phrase.shape === "noun" ? phrase.nounPhrase : topic.name;
  return shorten(fill(pick(random, frames.altTexts), { headline, caption: captionOf(keyword), np }), ALT_TEXT_CHARS);
}

function fill(pattern: string, values: Record<string, string>): string {
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/** Cuts at a word's end, so that nothing stops in the middle. */
function shorten(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const cut = text.slice(0, chars + 1).replace(/\s+\S*$/u, "");
  const kept = cut.length > chars ? text.slice(0, chars) : cut;
  return kept
    .replace(/(?:\s+(?:a|an|the|of|for|to|and|or|with|in|on|at|by|from)|[\s,;:–-])+$/iu, "")
    .replace(/[\uD800-\uDBFF]$/, "");
}
