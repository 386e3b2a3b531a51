import { ScreenLoading } from "#components/shared/screen-loading.tsx";
import { product } from "#lib/server/product.ts";

export default function Loading() {
  return <ScreenLoading title={product().creatorLabel} />;
}
