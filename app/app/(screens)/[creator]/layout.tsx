import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { product } from "#lib/server/product.ts";

type CreatorLayoutProps = { params: Promise<{ creator: string }>; children: ReactNode };

/** The creator's address carries the product's name (R-ROUTE-23, A-01); any other is answered 404 before anything shows. */
export default async function CreatorLayout({ params, children }: CreatorLayoutProps) {
  if (`/app/${(await params).creator}` !== product().creatorPath) notFound();
  return children;
}
