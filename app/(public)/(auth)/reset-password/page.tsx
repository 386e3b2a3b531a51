import { AuthHeader } from "#components/identity/auth-copy.tsx";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { RESET_PINS } from "#components/identity/reset-pins.ts";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { TEXTS } from "#lib/features/identity/texts.ts";
import { productFacts } from "../../../facts.ts";
import { pageMetadata } from "../../../metadata.ts";

export const generateMetadata = () => pageMetadata("/reset-password");

/** Shown when the link has no token. */
export default async function InvalidResetLinkPage() {
  return (
    <>
      <PageJsonLd product={await productFacts()} path="/reset-password" />
      <AuthPage rows={RESET_PINS}>
        <AuthHeader title={TEXTS.invalidResetLink}>
          This link isn’t complete. Open the link in your email again, or request a new one.
        </AuthHeader>
        <LinkButton href="/forgot-password" variant="primary" size="lg">
          {TEXTS.requestNewLink}
        </LinkButton>
      </AuthPage>
    </>
  );
}
