import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { product } from "#lib/server/product.ts";

type CreatorLayoutProps = { params: Promise<{ creator: string }>; children: ReactNode };

/** The creator's URL contains the product's name; any other name returns 404 before the screen renders. */
export default async function CreatorLayout({ params, children }: CreatorLayoutProps) {
  if (`/app/${(await params).creator}` !== product().creatorPath) notFound();
  return children;
}
