/** Maximum lengths; the minimums (R-CONST-15) are in the identity policy. */
export const NAME_MAX = 80;
export const EMAIL_MAX = 254;

const EMAIL_SHAPE = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\.]+(\.[^\s@<>"(),:;[\]\\.]+)+$/;
/** Invisible characters could make two addresses look alike. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/u;

const isEmailShaped = (value: string): boolean =>
  value.length <= EMAIL_MAX && EMAIL_SHAPE.test(value) && !INVISIBLE.test(value);

export const checkName = (value: string, label: string): string | undefined => {
  if (!value) return `${label} is required`;
  if (value.length > NAME_MAX) return `${label} must be at most ${NAME_MAX} characters`;
  // Names appear in emails, so they must not contain lines or links.
  const isPlain = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|:\/\/|www\./iu.test(value);
  return isPlain ? undefined : `${label} contains characters that cannot be used in a name`;
};

export const checkEmail = (value: string): string | undefined => {
  if (!value) return "Email is required";
  return isEmailShaped(value) ? undefined : "Invalid email format";
};
