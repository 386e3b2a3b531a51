import type { Random } from "../random.ts";

export const pick = <T>(random: Random, list: readonly [T, ...T[]]): T => list[random.below(list.length)] ?? list[0];

type Words = readonly [string, ...string[]];

/** Words for captions in many scripts, with characters that markup escapes. None begins with '#'. */
export const WORDS: Words = [
  ..."quick dinner for tired people easy knit pattern tiny balcony garden how I pack light rainy morning".split(" "),
  ..."R&B <3 it's \"quoted\" a>b x<y &amp; &lt;b&gt; 100% :) C++ 50/50 no.1 don't… — 'round".split(" "),
  ..."простой ужин без духовки утро 日本の朝ごはん 手作り 弁当 とても簡単 간단한 저녁 요리 วันนี้ทำอาหาร ง่ายๆ".split(" "),
  ..."आसान रेसिपी घर का खाना وصفة سهلة للعشاء ארוחת ערב Bữa tối đơn giản café crème naïve Straße ñandú".split(" "),
  "created by",
  "✨",
  "👩🏽‍🍳",
  "🇳🇵",
  "🪴🌱",
  "¯\\_(ツ)_/¯",
] as unknown as Words;

/** Hashtags without '#'; some have two spellings or combining marks. */
export const TAGS: Words = [
  ..."fyp FYP foryou ForYou cooking SmallGarden knitting2024 day_1 __proto__ constructor 2026 xyzbca café".split(" "),
  ..."рецепты завтрак 料理 弁当ライフ お弁当 요리 간단요리 ทำอาหาร सौंदर्य रेसिपी وصفات طبخ מתכון BữaTối ñam".split(" "),
] as unknown as Words;

export const NICKNAMES: Words = [
  "Anna & Tom",
  'The "Real" Cook',
  "Лена",
  "さくら",
  "मीरा",
  "<Studio>",
  "it's Jo 🌿",
  "Nur مطبخ",
  "D'Arcy",
];

export const SOUNDS: Words = [
  "original sound - lena",
  "sonido original",
  "A Summer Place with Strings - The Quartet",
  'Rain & Thunder "live"',
  "オリジナル楽曲",
];

export const AGO: Words = ["3d ago", "5h ago", "2w ago", "23m ago", "1-9", "4-19", "2023-4-19", "2021-12-31"];
