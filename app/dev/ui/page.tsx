import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { DesignSystem } from "#components/showcase/design-system.tsx";
import { isLocalSite } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Components", robots: { index: false, follow: false } };

/** Dynamic, since only the running server knows whether it is in development; the page is 404 in production. */
export const dynamic = "force-dynamic";

export default function DesignSystemPage() {
  if (!isLocalSite()) notFound();
  return <DesignSystem />;
}
