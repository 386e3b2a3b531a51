import { Columns, Specimen, Specimens } from "#components/showcase/specimen.tsx";
import { Field } from "#components/ui/field.tsx";
import { FormSummary } from "#components/ui/form-summary.tsx";
import { Input } from "#components/ui/input.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { Search } from "./overlays.tsx";

const WRONG = "Username must be at least 3 characters";

function Boards() {
  return (
    <>
      <option>Small gardens</option>
      <option>Slow bread</option>
    </>
  );
}

/** Text fields, selects and search, with and without errors. */
export function Fields() {
  return (
    <Specimens id="fields" title="Fields">
      <Specimen name="form summary; screen readers also hear the invalid fields">
        <FormSummary
          problem="We couldn't send your message. Please try again."
          errors={{ username: WRONG }}
          labels={{ username: "Username" }}
        />
      </Specimen>
      <Columns>
        <Specimen name="text">
          <TextField label="Email" type="email" defaultValue="ada@example.com" />
        </Specimen>
        <Specimen name="text, empty with hint">
          <TextField label="Title" placeholder="Herbs for a winter sill" hint="At most 100 characters" />
        </Specimen>
        <Specimen name="text, invalid">
          <TextField label="Username" defaultValue="ad" error={WRONG} />
        </Specimen>
        <Specimen name="text, locked">
          <TextField label="Locked" defaultValue="ada@example.com" disabled />
        </Specimen>
        <Specimen name="text, with an aside">
          <TextField label="Link" aside={<span className="text-xs text-ink-3">optional</span>} />
        </Specimen>
        <Specimen name="password">
          <PasswordField label="Password" autoComplete="off" defaultValue="correct horse" />
        </Specimen>
        <Specimen name="password, invalid">
          <PasswordField label="Confirm password" autoComplete="off" error="Passwords do not match" />
        </Specimen>
        <Specimen name="select">
          <SelectField label="Board">
            <Boards />
          </SelectField>
        </Specimen>
        <Specimen name="select, invalid">
          <SelectField label="Your board" error="Choose a board">
            <Boards />
          </SelectField>
        </Specimen>
        <Specimen name="select, locked">
          <SelectField label="Locked board" disabled>
            <Boards />
          </SelectField>
        </Specimen>
        <Specimen name="search">
          <Search />
        </Specimen>
        <Specimen name="text area">
          <TextAreaField label="Description" rows={3} hint="At most 500 characters" />
        </Specimen>
        <Specimen name="text area, invalid">
          <TextAreaField label="Message" rows={3} error="Message is required" />
        </Specimen>
        <Specimen name="custom control">
          <Field id="specimen-time" label="Time">
            {(control) => <Input type="time" defaultValue="09:00" {...control} />}
          </Field>
        </Specimen>
      </Columns>
    </Specimens>
  );
}
