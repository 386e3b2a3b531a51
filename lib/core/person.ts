/** The most characters of a person's name and mail address (R-CONST-15). */
export const NAME_MAX = 80;
export const EMAIL_MAX = 254;

const EMAIL_SHAPE = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\.]+(\.[^\s@<>"(),:;[\]\\.]+)+$/;
/** Nothing that cannot be seen: it would make two addresses look alike. */
const UNSEEN = /[\p{Cc}\p{Cf}]/u;

/** Whether a text is shaped like a mail address (R-REG-07). */
export const isEmailShaped = (value: string): boolean =>
  value.length <= EMAIL_MAX && EMAIL_SHAPE.test(value) && !UNSEEN.test(value);

/** What is wrong with the name of a person; nothing, when it is undefined. */
export const checkName = (value: string, label: string): string | undefined => {
  if (!value) return `${label} is required`;
  if (value.length > NAME_MAX) return `${label} must be at most ${NAME_MAX} characters`;
  // Names stand in mails to an address that nobody has confirmed yet: no lines and no addresses of their own.
  const isPlain = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|:\/\/|www\./iu.test(value);
  return isPlain ? undefined : `${label} contains characters that cannot be used in a name`;
};

/** What is wrong with a mail address (R-REG-06, R-REG-07, R-FPW-01); nothing, when it is undefined. */
export const checkEmail = (value: string): string | undefined => {
  if (!value) return "Email is required";
  return isEmailShaped(value) ? undefined : "Invalid email format";
};
