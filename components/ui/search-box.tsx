import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { type ComponentProps, type RefObject, useId, useRef } from "react";
import { cn } from "#components/ui/cn.ts";
import { inputClass } from "#components/ui/input.tsx";

type SearchBoxProps = Omit<ComponentProps<"input">, "id" | "type" | "className" | "ref" | "onChange"> & {
  label: string;
  className?: string;
  value: string;
  onChange: (text: string) => void;
  /** Called instead of `onChange("")` when the user clears the field. */
  onClear?: () => void;
  fieldRef?: RefObject<HTMLInputElement | null>;
};

/** A search field with its own clear button, since the browser's is too small for touch. */
export function SearchBox(props: SearchBoxProps) {
  const { label, value, onChange, onClear = () => onChange(""), fieldRef, className, ...rest } = props;
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const field = fieldRef ?? own;
  return (
    <div data-slot="search-box" className={cn("relative", className)}>
      <Search
        aria-hidden="true"
        size={17}
        className="pointer-events-none absolute top-1/2 left-[13px] -translate-y-1/2 text-ink-3"
      />
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        {...rest}
        ref={field}
        id={id}
        type="search"
        data-slot="input"
        className={inputClass({ kind: "search" })}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== "" && (
        <button
          type="button"
          aria-label="Clear search"
          className="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-control text-ink-3 hover:text-ink"
          onClick={() => {
            onClear();
            field.current?.focus();
          }}
        >
          <X aria-hidden="true" size={17} />
        </button>
      )}
    </div>
  );
}
