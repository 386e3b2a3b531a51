const KNOWN: ReadonlyMap<string, string> = new Map([
  ["paypal", "PayPal"],
  ["ideal", "iDEAL"],
  ["mb_way", "MB WAY"],
  ["upi", "UPI"],
  ["wechat_pay", "WeChat Pay"],
  ["wire_transfer", "Bank transfer"],
  ["offline", "Bank transfer"],
  ["south_korea_local_card", "Korean card"],
  ["korea_local", "Korean payment"],
  ["jcb", "JCB"],
  ["union_pay", "UnionPay"],
]);

/** `google_pay` → 'Google Pay'. */
const spell = (word: string): string =>
  KNOWN.get(word) ??
  word
    .split("_")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(" ")
    .slice(0, 40);

/** A way of paying, for people: 'Visa ending in 4242', 'PayPal'. Words we do not know are spelled as they come. */
export const methodText = (method: {
  type: string;
  card?: { type: string; last4: string } | null | undefined;
}): string => {
  if (method.card) {
    const brand = method.card.type === "unknown" ? "Card" : spell(method.card.type);
    return `${brand} ending in ${method.card.last4.slice(-4)}`;
  }
  return method.type === "unknown" ? "Another way" : spell(method.type);
};
