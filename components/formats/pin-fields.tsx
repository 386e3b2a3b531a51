import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { boardLabel, useBoards } from "#components/accounts/use-boards.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { ALT_TEXT_MAX, DESCRIPTION_MAX, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import type { FormatForm, Problems } from "./use-format-form.ts";

type PinFieldsProps = { accounts: AccountOption[]; form: FormatForm; problems: Problems; isDisabled: boolean };

function PlaceFields({ accounts, form: { texts, change }, problems, isDisabled }: PinFieldsProps) {
  const boards = useBoards(texts.accountId);
  return (
    <div className="grid grid-cols-2 items-start gap-4 max-md:grid-cols-1">
      <AccountChoice
        accounts={accounts}
        value={texts.accountId}
        disabled={isDisabled}
        error={problems.accountId}
        onChange={(accountId) => change({ accountId, boardId: null, boardSectionId: null })}
      />
      <div className="grid gap-2">
        <SelectField
          label="Board"
          value={texts.boardId ?? ""}
          disabled={isDisabled || !boards.items || boards.items.length === 0}
          aria-busy={boards.isLoading}
          error={boards.problem ?? problems.boardId}
          onChange={({ target }) => change({ boardId: target.value || null, boardSectionId: null })}
        >
          <option value="">{boards.emptyText}</option>
          {boards.items?.map((board) => (
            <option key={board.id} value={board.id}>
              {boardLabel(board)}
            </option>
          ))}
        </SelectField>
        <SectionField
          accountId={texts.accountId}
          boardId={texts.boardId}
          value={texts.boardSectionId}
          isDisabled={isDisabled}
          onChange={(boardSectionId) => change({ boardSectionId })}
        />
        <NewPlace
          boards={boards}
          boardId={texts.boardId}
          onBoard={(boardId) => change({ boardId, boardSectionId: null })}
          onSection={(boardSectionId) => change({ boardSectionId })}
        />
      </div>
    </div>
  );
}

/** Where the pin goes, and its texts. */
export function PinFields(props: PinFieldsProps) {
  const { texts, change } = props.form;
  const { problems, isDisabled } = props;
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4">
      <PlaceFields {...props} />
      <TextField
        label="Title"
        value={texts.title}
        maxLength={TITLE_MAX}
        disabled={isDisabled}
        error={problems.title}
        onChange={({ target }) => change({ title: target.value })}
      />
      <TextAreaField
        label="Description"
        rows={3}
        value={texts.description}
        maxLength={DESCRIPTION_MAX}
        disabled={isDisabled}
        onChange={({ target }) => change({ description: target.value })}
      />
      <TextField
        label="Link"
        type="url"
        inputMode="url"
        placeholder="https:// (optional)"
        value={texts.url}
        maxLength={LINK_MAX}
        disabled={isDisabled}
        error={problems.url}
        onChange={({ target }) => change({ url: target.value })}
      />
      <TextField
        label="Alt text"
        hint="Describe the image for people who can't see it."
        value={texts.altText}
        maxLength={ALT_TEXT_MAX}
        disabled={isDisabled}
        onChange={({ target }) => change({ altText: target.value })}
      />
    </div>
  );
}
