import Search from "lucide-react/icons/search";
import X from "lucide-react/icons/x";
import { type ComponentProps, type RefObject, useId, useRef } from "react";
import { cn } from "#components/ui/cn.ts";

type SearchBoxProps = Omit<ComponentProps<"input">, "id" | "type" | "className" | "ref" | "onChange"> & {
  label: string;
  /** Of the whole box; the field has its own. */
  className?: string;
  value: string;
  onChange: (text: string) => void;
  /** Empties the field, where that is more than another text. */
  onClear?: () => void;
  /** Lets others give the focus to the field. */
  fieldRef?: RefObject<HTMLInputElement | null>;
};

/** A field to search with, and the button that empties it: the browsers' own is too small for a finger. */
export function SearchBox(props: SearchBoxProps) {
  const { label, value, onChange, onClear = () => onChange(""), fieldRef, className, ...rest } = props;
  const id = useId();
  const own = useRef<HTMLInputElement>(null);
  const field = fieldRef ?? own;
  return (
    <div className={cn("search-box", className)}>
      <Search aria-hidden="true" size={17} />
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <input
        {...rest}
        ref={field}
        id={id}
        type="search"
        className="input"
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {value !== "" && (
        <button
          type="button"
          aria-label="Clear search"
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
