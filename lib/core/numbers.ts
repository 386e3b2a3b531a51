/** A whole number for reading, in the one manner of all screens and mails: '1,500'. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");
