/**
 * What the writer knows about one field of life. Sentences are plain advice that holds for any keyword of the topic;
 * `{np}` stands for the keyword as a noun phrase, `{Kw}` for the keyword opening a sentence.
 */
export type Topic = {
  name: string;
  /** Words that point to this topic, singular and lower case; plurals are recognised. */
  words: readonly string[];
  /** Small capitals at the foot of a poster. */
  captions: readonly string[];
  /** Titles after a colon: `{Kw}: …`. */
  tails: readonly string[];
  /** Titles after a comma: `{Kw}, …`. */
  asides: readonly string[];
  /** Whole titles around `{np}`. */
  leads: readonly string[];
  /** First sentences around `{np}`, which never is the subject of a verb in the present tense. */
  openings: readonly string[];
  /** Sentences of advice. */
  bodies: readonly string[];
};
