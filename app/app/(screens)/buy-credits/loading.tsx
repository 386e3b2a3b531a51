import { ScreenLoading } from "#components/shared/screen-loading.tsx";
import { BUY_TEXTS } from "#lib/features/billing/constants.ts";

export default function Loading() {
  return <ScreenLoading title={BUY_TEXTS.title} />;
}
