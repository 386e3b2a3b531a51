import { AuthPage } from "#components/identity/auth-page.tsx";
import { AuthHead } from "#components/identity/auth-words.tsx";
import { RESET_ROWS } from "#components/identity/reset-rows.ts";
import { PageThings } from "#components/site/structured-data.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { productFacts } from "../../../facts.ts";
import { pageMetadata } from "../../../metadata.ts";

export const generateMetadata = () => pageMetadata("/reset-password");

/** Without a token (R-RPW-01). */
export default async function InvalidResetLinkPage() {
  return (
    <>
      <PageThings product={await productFacts()} path="/reset-password" />
      <AuthPage rows={RESET_ROWS}>
        <AuthHead title={TEXTS.invalidResetLink}>
          The address is not whole. Open the link in the mail again, or ask for a new one.
        </AuthHead>
        <LinkButton href="/forgot-password" variant="primary" size="lg">
          {TEXTS.requestNewLink}
        </LinkButton>
      </AuthPage>
    </>
  );
}
