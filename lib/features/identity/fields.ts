export const LOGIN_FIELDS = ["email", "password"] as const;
export type LoginField = (typeof LOGIN_FIELDS)[number];

export const checkLogin = ({ email, password }: Record<LoginField, string>): Partial<Record<LoginField, string>> => ({
  ...(!email.trim() && { email: "Email is required" }),
  ...(!password && { password: "Password is required" }),
});

export const LOGIN_TEXTS = {
  fillAllFields: "Please fill in all required fields.",
  loggedIn: "Login successful!",
  loginFailed: "An error occurred",
} as const;
