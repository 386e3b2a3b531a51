import { ScreenLoading } from "#components/shared/screen-loading.tsx";

export default function Loading() {
  return <ScreenLoading title="Webhooks" />;
}
