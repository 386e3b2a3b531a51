import LoaderCircle from "lucide-react/icons/loader-circle";
import { cn } from "#components/ui/cn.ts";

/** A turning arc. It is decoration: say beside it, or by `aria-busy`, what is going on. */
export function Spinner({ className }: { className?: string }) {
  return (
    <LoaderCircle
      aria-hidden="true"
      data-slot="spinner"
      className={cn("size-[17px] flex-none animate-spin", className)}
    />
  );
}
