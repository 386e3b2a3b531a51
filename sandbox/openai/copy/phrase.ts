import { capitalised, toSentenceWords } from "./casing.ts";

/**
 * A keyword made ready for sentences. A noun phrase comes twice: whole, for titles, and without words of form
 * ("dinner ideas" is about dinner), for sentences.
 */
export type Phrase =
  | { shape: "noun"; title: string; nounPhrase: string; fullPhrase: string }
  | { shape: "how-to"; title: string; verbPhrase: string }
  | { shape: "question"; title: string };

const PREPOSITION =
  /^(for|with|without|on|in|at|of|to|from|under|by|near|after|before|that|who|into|over|using|when|than|around)$/i;
const DETERMINER = /^(a|an|the|my|your|our|this|these|those|every|some)$/i;
const QUESTION = /^(why|what|when|where|which|who|how|can|should|is|are|does|do|will)$/i;
const COMMAND = /^(make|grow|bake|build|learn|organise|organize|decorate|choose|create|sew|declutter|save)$/i;

/** Words that only name the form of a piece. */
const FORM =
  /^(ideas?|tips|inspiration|inspo|hacks|tricks|aesthetic|designs?|checklist|list|guide|templates?|printables?|patterns?|looks?|tutorials?)$/i;

const STYLE = /^(minimalist|modern|rustic|vintage|scandinavian|bohemian|nordic|industrial|eclectic|retro)$/i;

/** A number before one of these counts what one thing takes: "a 10 minute workout". */
const MEASURE = /^(minute|day|week|month|year|hour|step|ingredient|piece|pot|pan|bowl|bedroom|seater)$/i;

/** Nouns without an article that would look as if they needed one. */
const MASS = new Set(
  (
    "bread dinner lunch breakfast brunch food pasta rice coffee tea chicken fish salmon pork beef lamb tofu chocolate " +
    "decor furniture lighting storage inspiration organisation organization advice music yoga meditation travel art " +
    "photography pottery embroidery crochet macrame calligraphy poetry literature fiction fashion denim jewellery " +
    "jewelry knitwear makeup hair skincare hygiene care money cash savings finance debt income productivity motivation " +
    "mindfulness gratitude wellness wellbeing fitness strength mobility cardio sleep stress anxiety homework research " +
    "garlic salad curry stew soup cheese butter honey flour sugar lavender basil moss compost soil wood timber paint " +
    "clay yarn wool felt linen cotton paper glass work study parenting fun play time spring summer autumn winter " +
    "christmas easter halloween thanksgiving pizza sushi ramen sourdough focaccia jam granola porridge hummus pesto " +
    "japandi boho cottagecore minimalism hygge academia life style pregnancy nature weather water light green blue " +
    "red pink white black yellow purple orange brown grey gray beige terracotta pilates woodwork diy school college"
  ).split(" "),
);

const ENDS_IN_S_BUT_ONE = /(ss|us|is)$/;
const GERUND_LIKE =
  /^(wedding|ring|king|ceiling|building|painting|evening|morning|string|spring|pudding|thing|earring|stocking|wing|drawing|dressing|meeting|setting|rug|swing|filling|frosting|icing)$/;
const IRREGULAR_PLURAL = /^(people|children|women|men|feet|mice|teeth|leaves|knives|shelves|loaves|kids)$/;

/** Reads a keyword as a noun phrase, an instruction or a question. */
export function readPhrase(keyword: string): Phrase {
  const words = toSentenceWords(keyword);
  const title = capitalised(words);
  const [first = "", second = ""] = words.split(" ");
  const verbPhrase = words.replace(/^how to /i, "").replace(/\bmy\b/gi, "your");
  if (/^how to \S/i.test(words)) return { shape: "how-to", title, verbPhrase };
  if (QUESTION.test(first) && second !== "") return { shape: "question", title: title.replace(/\?+$/, "") };
  if (COMMAND.test(first) && second !== "" && !/^save the date/i.test(words))
    return { shape: "how-to", title, verbPhrase };
  const { head, rest } = splitHead(words.split(" "));
  return {
    shape: "noun",
    title,
    nounPhrase: withArticle(withoutForm(head), rest),
    fullPhrase: withArticle(head, rest),
  };
}

/** Splits "party food ideas for kids" before the first preposition. */
function splitHead(words: string[]): { head: string[]; rest: string[] } {
  const at = words.findIndex((word, index) => index > 0 && PREPOSITION.test(word));
  return at === -1 ? { head: words, rest: [] } : { head: words.slice(0, at), rest: words.slice(at) };
}

/** "10 party food ideas" becomes "party food"; a head of nothing but form stays. */
function withoutForm(head: string[]): string[] {
  const kept = head.filter((word, index) => index === 0 || !FORM.test(word));
  if (kept.length === head.length) return head;
  const uncounted = /^\d+$/.test(kept[0] ?? "") ? kept.slice(1) : kept;
  return uncounted.length === 0 || uncounted.every((word) => FORM.test(word)) ? head : uncounted;
}

function withArticle(head: string[], rest: string[]): string {
  const named = head.length === 1 && STYLE.test(head[0] ?? "") ? [...head, "style"] : head;
  const phrase = [...named, ...rest].join(" ");
  return needsArticle(named) ? `${articleFor(phrase)} ${phrase}` : phrase;
}

function needsArticle(head: string[]): boolean {
  const [first = "", second = ""] = head;
  const last = (head[head.length - 1] ?? "").replace(/[^\p{L}\p{N}'’-]/gu, "");
  if (DETERMINER.test(first) || !/^[a-z]/.test(last)) return false;
  if (IRREGULAR_PLURAL.test(last) || MASS.has(last)) return false;
  if (last.endsWith("s") && !ENDS_IN_S_BUT_ONE.test(last)) return false;
  if (/(ness|core|ism)$/.test(last)) return false;
  if (last.endsWith("ing") && last.length > 4 && !GERUND_LIKE.test(last)) return false;
  return !/^\p{N}+$/u.test(first) || MEASURE.test(second);
}

function articleFor(phrase: string): "a" | "an" {
  if (/^(uni|use|usu|eu|one\b|once)/i.test(phrase)) return "a";
  return /^([aeiou]|hour|honest|heir|8|11\b|18\b)/i.test(phrase) ? "an" : "a";
}
