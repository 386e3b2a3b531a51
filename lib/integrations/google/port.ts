export interface GoogleProfile {
  /** Google's id of the user, which never changes. */
  subject: string;
  email: string;
  isEmailVerified: boolean;
  firstName: string;
  lastName: string;
}

/** Secrets of one sign-in, which its answer must match. */
interface GoogleChallenge {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export type GoogleAnswer = { kind: "profile"; profile: GoogleProfile } | { kind: "declined" | "failed" };

export interface GooglePort {
  /** Whether the operator has set it up. */
  isOn: boolean;
  /** Google's page for a new sign-in. @throws AppError `provider_unavailable` */
  begin(state: string): Promise<{ url: string; challenge: GoogleChallenge }>;
  /** Exchanges the code of the callback's URL and checks the ID token. @throws AppError `provider_unavailable` */
  finish(callbackUrl: URL, challenge: GoogleChallenge): Promise<GoogleAnswer>;
}
