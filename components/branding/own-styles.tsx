import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import { Button } from "#components/ui/button.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { IMAGE_ABOUT_MAX, OWN_STYLE_NAME_MAX, OWN_STYLES_MAX } from "#lib/features/branding/constants.ts";
import type { OwnStyle, VoiceWire } from "#lib/features/branding/schema.ts";

export type StyleChoice = Pick<VoiceWire, "image_style" | "own_styles" | "own_style">;

/** The first free one, so that no two styles begin with the same name. */
const newName = (styles: readonly OwnStyle[]): string => {
  const names = new Set(styles.map(({ name }) => name));
  return (
    Array.from({ length: OWN_STYLES_MAX + 1 }, (_, at) => `My style ${at + 1}`).find((name) => !names.has(name)) ?? ""
  );
};

type RowProps = {
  style: OwnStyle;
  number: number;
  group: string;
  isChosen: boolean;
  onChoose: () => void;
  onChange: (part: Partial<OwnStyle>) => void;
  onRemove: () => void;
};

function OwnStyleRow({ style, number, group, isChosen, onChoose, onChange, onRemove }: RowProps) {
  return (
    <li className="grid gap-2 rounded-control border border-line-2 p-3 has-checked:border-accent">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <label className="flex min-h-11 items-center gap-2 text-sm wrap-anywhere">
          <input type="radio" className="accent-(--accent)" name={group} checked={isChosen} onChange={onChoose} />
          Use {style.name || `style ${number}`}
        </label>
        <Button size="sm" variant="quiet" className="max-md:min-h-11" onClick={onRemove}>
          <X aria-hidden="true" />
          Remove<span className="sr-only"> {style.name || `style ${number}`}</span>
        </Button>
      </div>
      <TextField
        label={`Name of style ${number}`}
        maxLength={OWN_STYLE_NAME_MAX}
        value={style.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextAreaField
        label={`What style ${number} looks like`}
        rows={2}
        maxLength={IMAGE_ABOUT_MAX}
        placeholder="A linocut print in two colors with rough edges."
        value={style.about}
        onChange={(event) => onChange({ about: event.target.value })}
      />
    </li>
  );
}

type OwnStylesProps = {
  typed: StyleChoice;
  /** The name of the radio buttons that the presets share. */
  group: string;
  problem: string | undefined;
  onChange: (part: Partial<StyleChoice>) => void;
};

/** Styles in the user's own words, one of which can be chosen instead of a preset. */
export function OwnStyles({ typed, group, problem, onChange }: OwnStylesProps) {
  const { own_styles: styles, own_style: chosen } = typed;
  const change = (at: number, part: Partial<OwnStyle>) =>
    onChange({
      own_styles: styles.map((style, other) => (other === at ? { ...style, ...part } : style)),
      ...(part.name !== undefined && styles[at]?.name === chosen && { own_style: part.name }),
    });
  const remove = (at: number) =>
    onChange({
      own_styles: styles.filter((_, other) => other !== at),
      ...(styles[at]?.name === chosen && { own_style: null }),
    });
  return (
    <div className="grid gap-2.5">
      {styles.length > 0 && (
        <ul aria-label="Your own styles" className="grid gap-2.5">
          {styles.map((style, at) => (
            <OwnStyleRow
              // Rows have no other identity while their names are typed.
              // biome-ignore lint/suspicious/noArrayIndexKey: the fields are controlled
              key={at}
              {...{ style, group, number: at + 1, isChosen: style.name === chosen }}
              onChoose={() => onChange({ image_style: null, own_style: style.name })}
              onChange={(part) => change(at, part)}
              onRemove={() => remove(at)}
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
        size="sm"
        className="justify-self-start max-md:min-h-11"
        disabled={styles.length >= OWN_STYLES_MAX}
        onClick={() => onChange({ own_styles: [...styles, { name: newName(styles), about: "" }] })}
      >
        <Plus aria-hidden="true" />
        Add a style of your own
      </Button>
    </div>
  );
}
