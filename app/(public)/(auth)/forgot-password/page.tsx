import { AuthPage } from "#components/identity/auth-page.tsx";
import { ForgotPasswordForm } from "#components/identity/forgot-password-form.tsx";
import { PageJsonLd } from "#components/site/structured-data.tsx";
import { productFacts } from "../../../facts.ts";
import { pageMetadata } from "../../../metadata.ts";

export const generateMetadata = () => pageMetadata("/forgot-password");

const ROWS = [
  [
    { poster: "read", x: -18, y: 92, width: 214 },
    { poster: "herbs", x: 238, y: 158, width: 222 },
    { poster: "balcony", x: 506, y: 80, width: 214 },
  ],
  [
    { poster: "meadow", x: -64, y: 528, width: 214 },
    { poster: "bread", x: 194, y: 606, width: 214 },
    { poster: "quilt", x: 452, y: 520, width: 222 },
  ],
] as const;

export default async function ForgotPasswordPage() {
  return (
    <>
      <PageJsonLd product={await productFacts()} path="/forgot-password" />
      <AuthPage rows={ROWS}>
        <ForgotPasswordForm />
      </AuthPage>
    </>
  );
}
