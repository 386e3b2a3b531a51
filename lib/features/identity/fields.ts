/** The fields of the login form, by the payload's names (R-LOGIN-01). */
export const LOGIN_FIELDS = ["email", "password"] as const;
export type LoginField = (typeof LOGIN_FIELDS)[number];

/** What is missing for a login; whether it is right, the server alone knows (R-LOGIN-03). */
export const checkLogin = ({ email, password }: Record<LoginField, string>): Partial<Record<LoginField, string>> => ({
  ...(!email.trim() && { email: "Email is required" }),
  ...(!password && { password: "Password is required" }),
});

/** Literal texts of the login form (R-LOGIN). */
export const LOGIN_TEXTS = {
  fillAllFields: "Please fill in all required fields.",
  loggedIn: "Login successful!",
  loginFailed: "An error occurred",
} as const;
