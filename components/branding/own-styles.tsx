import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { useEffect, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { useFocusAfterRemoval } from "#components/ui/use-focus-after-removal.ts";
import { visible } from "#lib/core/text.ts";
import { IMAGE_ABOUT_MAX, OWN_STYLE_NAME_MAX, OWN_STYLES_MAX } from "#lib/features/branding/constants.ts";
import type { OwnStyle, VoiceWire } from "#lib/features/branding/schema.ts";

/** With a key of its own, since names change and can be equal while they are typed. */
export type StyleRow = OwnStyle & { key: number };

export type StyleChoice = Pick<VoiceWire, "image_style"> & {
  own_styles: readonly StyleRow[];
  /** Of the chosen row; null for none. */
  own_key: number | null;
};

type Problems = Record<string, string[]>;

const problemName = (key: number, part: keyof OwnStyle): string => `own style ${key} ${part}`;

/** The server names rows by their positions, which change when one is removed. */
export const problemsByKey = (fields: Problems, rows: readonly StyleRow[]): Problems =>
  Object.fromEntries(
    Object.entries(fields).map(([name, texts]) => {
      const [, at, part] = /^ownStyles\.(\d+)\.(name|about)$/.exec(name) ?? [];
      const row = rows[Number(at)];
      return [row ? problemName(row.key, part === "name" ? part : "about") : name, texts];
    }),
  );

/** The first free one, so that no two styles begin with the same name. */
const newName = (styles: readonly OwnStyle[]): string => {
  const names = new Set(styles.map(({ name }) => visible(name).toLowerCase()));
  return (
    Array.from({ length: OWN_STYLES_MAX + 1 }, (_, at) => `My style ${at + 1}`).find(
      (name) => !names.has(name.toLowerCase()),
    ) ?? ""
  );
};

type RowProps = {
  style: StyleRow;
  number: number;
  group: string;
  isChosen: boolean;
  problems: Problems;
  onChoose: () => void;
  onChange: (part: Partial<OwnStyle>) => void;
  onRemove: () => void;
};

function OwnStyleRow({ style, number, group, isChosen, problems, onChoose, onChange, onRemove }: RowProps) {
  const problemOf = (part: keyof OwnStyle) => problems[problemName(style.key, part)]?.[0];
  return (
    <li className="grid gap-2 rounded-control border border-line-2 p-3 has-checked:border-accent">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <label className="flex min-h-11 items-center gap-2 text-sm wrap-anywhere">
          <input type="radio" className="accent-(--accent)" name={group} checked={isChosen} onChange={onChoose} />
          Use {style.name || `style ${number}`}
        </label>
        <Button data-slot="style-remove" size="sm" variant="quiet" className="max-md:min-h-11" onClick={onRemove}>
          <X aria-hidden="true" />
          Remove<span className="sr-only"> {style.name || `style ${number}`}</span>
        </Button>
      </div>
      <TextField
        data-slot="style-name"
        label={`Style ${number} name`}
        maxLength={OWN_STYLE_NAME_MAX}
        value={style.name}
        error={problemOf("name")}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextAreaField
        label={`Describe style ${number}`}
        rows={2}
        maxLength={IMAGE_ABOUT_MAX}
        placeholder="A linocut print in two colors with rough edges."
        value={style.about}
        error={problemOf("about")}
        onChange={(event) => onChange({ about: event.target.value })}
      />
    </li>
  );
}

/** Changes of the rows. A new one gets the focus at its name; after a removal it goes to a row that is left. */
const useRows = ({ own_styles: styles, own_key: chosen }: StyleChoice, onChange: OwnStylesProps["onChange"]) => {
  const element = useRef<HTMLDivElement>(null);
  const added = useRef<number | null>(null);
  // A removed row's key isn't used again, since its problems may still be known.
  const lastKey = useRef(Math.max(0, ...styles.map(({ key }) => key)));
  const takeFocus = useFocusAfterRemoval(element, styles, "[data-slot=style-remove]", "[data-slot=style-add]");
  useEffect(() => {
    const at = styles.findIndex(({ key }) => key === added.current);
    added.current = null;
    element.current?.querySelectorAll<HTMLElement>("[data-slot=style-name]")[at]?.focus();
  }, [styles]);
  const add = () => {
    lastKey.current += 1;
    const key = lastKey.current;
    added.current = key;
    onChange({ own_styles: [...styles, { key, name: newName(styles), about: "" }] });
  };
  const change = (key: number, part: Partial<OwnStyle>) =>
    onChange({ own_styles: styles.map((row) => (row.key === key ? { ...row, ...part } : row)) });
  const remove = (row: StyleRow) => {
    takeFocus(row);
    onChange({ own_styles: styles.filter((other) => other !== row), ...(row.key === chosen && { own_key: null }) });
  };
  return { element, add, change, remove };
};

type OwnStylesProps = {
  typed: StyleChoice;
  /** The name of the radio buttons that the presets share. */
  group: string;
  problems: Problems;
  onChange: (part: Partial<StyleChoice>) => void;
};

/** Styles in the user's own words, one of which can be chosen instead of a preset. */
export function OwnStyles({ typed, group, problems, onChange }: OwnStylesProps) {
  const { own_styles: styles, own_key: chosen } = typed;
  const { element, add, change, remove } = useRows(typed, onChange);
  const problem = problems.ownStyles?.[0];
  return (
    <div ref={element} className="grid gap-2.5">
      {styles.length > 0 && (
        <ul aria-label="Your own styles" className="grid gap-2.5">
          {styles.map((style, at) => (
            <OwnStyleRow
              key={style.key}
              {...{ style, group, problems, number: at + 1, isChosen: style.key === chosen }}
              onChoose={() => onChange({ image_style: null, own_key: style.key })}
              onChange={(part) => change(style.key, part)}
              onRemove={() => remove(style)}
            />
          ))}
        </ul>
      )}
      {problem && (
        <p role="alert" className="text-sm text-failed-ink">
          {problem}
        </p>
      )}
      <Button
        data-slot="style-add"
        size="sm"
        className="justify-self-start max-md:min-h-11"
        disabled={styles.length >= OWN_STYLES_MAX}
        onClick={add}
      >
        <Plus aria-hidden="true" />
        Add your own style
      </Button>
    </div>
  );
}
