import LoaderCircle from "lucide-react/icons/loader-circle";
import { cn } from "#components/ui/cn.ts";

/** A decorative spinner: describe what is happening in text or with `aria-busy`. */
export function Spinner({ className }: { className?: string }) {
  return (
    <LoaderCircle
      aria-hidden="true"
      data-slot="spinner"
      className={cn("size-[17px] flex-none animate-spin", className)}
    />
  );
}
