import { Skeleton } from "#components/ui/skeleton.tsx";
import { PageHeader } from "./page-header.tsx";

/** The loading state of a screen: its title and skeletons. */
export function ScreenLoading({ title }: { title: string }) {
  return (
    <>
      <PageHeader title={title} />
      <p data-slot="screen-loading" role="status" className="sr-only">
        {`Loading ${title}`}
      </p>
      <Skeleton className="h-11 w-full max-w-[26rem]" />
      <Skeleton shape="card" className="mt-6 h-80 w-full" />
    </>
  );
}
