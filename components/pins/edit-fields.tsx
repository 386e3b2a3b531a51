import { useRef } from "react";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { type Boards, boardLabel, RetryBoards } from "#components/accounts/use-boards.tsx";
import { cn } from "#components/ui/cn.ts";
import { FieldNote, LABEL } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { ALT_TEXT_MAX, DESCRIPTION_MAX, LINK_MAX, TAG_MAX, UTM_NAMES } from "#lib/features/pins/constants.ts";
import type { EditChoice, LinkChoice } from "./edit-choice.ts";

type EditFieldsProps = {
  boards: Boards;
  choice: EditChoice;
  /** By field. */
  problems: Record<string, string>;
  onChange: (change: Partial<EditChoice>) => void;
};

const LINKS: readonly { value: LinkChoice; label: string }[] = [
  { value: "keep", label: "Keep" },
  { value: "set", label: "Replace" },
  { value: "remove", label: "Remove" },
];

const EXAMPLES = {
  source: "pinterest",
  medium: "social",
  campaign: "{keyword}",
  content: "{title}",
  term: "",
} as const;

function TagFields({ choice, problems, onChange }: Omit<EditFieldsProps, "boards">) {
  const error = problems.utm;
  return (
    <fieldset className="grid gap-1.5 min-w-0" aria-describedby="edit-tags-note">
      <legend className={cn(LABEL, "mb-1.5")}>UTM parameters</legend>
      <div className="grid gap-2">
        {UTM_NAMES.map((name) => (
          <label key={name} className="grid grid-cols-[108px_minmax(0,1fr)] items-center gap-2.5 text-sm text-ink-2">
            <span>utm_{name}</span>
            <Input
              value={choice.utm[name]}
              maxLength={TAG_MAX}
              placeholder={EXAMPLES[name]}
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              aria-invalid={problems[`utm.${name}`] ? true : undefined}
              onChange={(event) => onChange({ utm: { ...choice.utm, [name]: event.target.value } })}
            />
          </label>
        ))}
      </div>
      <FieldNote id="edit-tags-note" isError={Boolean(error)}>
        {error ??
          "{keyword} and {title} are replaced with each pin's keyword and title. Empty parameters are left out."}
      </FieldNote>
    </fieldset>
  );
}

export function EditFields({ boards, choice, problems, onChange }: EditFieldsProps) {
  const { items, problem, isLoading } = boards;
  const board = useRef<HTMLSelectElement>(null);
  return (
    <div className="grid min-w-0 content-start gap-5">
      <SelectField
        ref={board}
        label="Board"
        value={choice.boardId}
        disabled={!items || items.length === 0}
        aria-busy={isLoading}
        error={problem ?? problems.boardId}
        onChange={(event) => onChange({ boardId: event.target.value, boardSectionId: null })}
      >
        <option value="">{isLoading ? "Loading boards" : "Keep each pin's board"}</option>
        {items?.map((board) => (
          <option key={board.id} value={board.id}>
            {boardLabel(board)}
          </option>
        ))}
      </SelectField>
      <RetryBoards boards={boards} focusAfter={() => board.current} />
      <SectionField
        accountId={boards.accountId}
        boardId={choice.boardId || null}
        value={choice.boardSectionId}
        error={problems.boardSectionId}
        onChange={(boardSectionId) => onChange({ boardSectionId })}
      />
      <NewPlace
        boards={boards}
        boardId={choice.boardId || null}
        onBoard={(boardId) => onChange({ boardId, boardSectionId: null })}
        onSection={(boardSectionId) => onChange({ boardSectionId })}
      />
      <Segment
        label="Link"
        options={LINKS}
        value={choice.linkChoice}
        onChange={(linkChoice) => onChange({ linkChoice })}
      />
      {choice.linkChoice === "set" && (
        <TextField
          label="New link"
          type="url"
          inputMode="url"
          placeholder="https://"
          value={choice.link}
          maxLength={LINK_MAX}
          error={problems.link}
          onChange={(event) => onChange({ link: event.target.value })}
        />
      )}
      {choice.linkChoice !== "remove" && <TagFields choice={choice} problems={problems} onChange={onChange} />}
      <TextAreaField
        label="Add to the end of each description"
        rows={2}
        value={choice.suffix}
        maxLength={DESCRIPTION_MAX}
        placeholder="#cabin #slowliving"
        error={problems.descriptionSuffix}
        onChange={(event) => onChange({ suffix: event.target.value })}
      />
      <TextAreaField
        label="Replace the alt text of each pin"
        rows={2}
        value={choice.altText}
        maxLength={ALT_TEXT_MAX}
        hint="Describe the image for people who can't see it."
        error={problems.altText}
        onChange={(event) => onChange({ altText: event.target.value })}
      />
    </div>
  );
}
