"use client";

import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import { type FormEvent, useId, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { LABEL } from "#components/ui/field.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import {
  AGES,
  GENDERS,
  type Gender,
  INTEREST_NAMES,
  INTERESTS,
  REGION_NAMES,
  REGIONS,
  TREND_TYPES,
} from "#lib/features/keywords/constants.ts";
import { TYPE_LABELS } from "./keyword-texts.ts";
import { type KeywordsQuery, SEARCH_MAX } from "./keywords-query.ts";

const GENDER_LABELS: Record<Gender, string> = { female: "Female", male: "Male", unknown: "Not specified" };

type ChoicesProps<V extends string> = {
  legend: string;
  all: readonly V[];
  labelOf: (value: V) => string;
  chosen: readonly V[];
  onChange: (chosen: readonly V[]) => void;
  className?: string;
};

/** Several of a list; none means all. */
function Choices<V extends string>({ legend, all, labelOf, chosen, onChange, className }: ChoicesProps<V>) {
  const toggle = (value: V) =>
    onChange(all.filter((one) => (one === value ? !chosen.includes(one) : chosen.includes(one))));
  return (
    <fieldset className="min-w-0">
      <legend className={cn(LABEL, "mb-1")}>{legend}</legend>
      <div className={cn("grid gap-x-4", className)}>
        {all.map((value) => (
          <Checkbox
            key={value}
            label={labelOf(value)}
            checked={chosen.includes(value)}
            onChange={() => toggle(value)}
          />
        ))}
      </div>
    </fieldset>
  );
}

type FiltersProps = { query: KeywordsQuery; onChange: (part: Partial<KeywordsQuery>) => void };

function Search({ query, onChange }: FiltersProps) {
  const [text, setText] = useState(query.search);
  const [shown, setShown] = useState(query.search);
  // The back button changes the search from outside.
  if (shown !== query.search) {
    setShown(query.search);
    setText(query.search);
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ search: text.trim() });
  };
  return (
    <form aria-label="Search" className="flex gap-2" onSubmit={submit}>
      <SearchBox
        label="Search trends"
        placeholder="Search keywords, like “bread”"
        className="min-w-0 flex-1"
        maxLength={SEARCH_MAX}
        value={text}
        onChange={setText}
        onClear={() => {
          setText("");
          onChange({ search: "" });
        }}
      />
      <Button type="submit">Search</Button>
    </form>
  );
}

type ChosenFilters = Pick<KeywordsQuery, "interests" | "ages" | "genders">;

const keyOf = ({ interests, ages, genders }: ChosenFilters): string => [...interests, ...ages, ...genders].join();

const NO_FILTERS: ChosenFilters = { interests: [], ages: [], genders: [] };

/** Applied together, because each change costs a call to Pinterest. */
function MoreFilters({ applied, onApply }: { applied: ChosenFilters; onApply: (filters: ChosenFilters) => void }) {
  const [chosen, setChosen] = useState(applied);
  const [shown, setShown] = useState(applied);
  // The back button changes filters from outside.
  if (keyOf(shown) !== keyOf(applied)) {
    setShown(applied);
    setChosen(applied);
  }
  const change = (part: Partial<ChosenFilters>) => setChosen((before) => ({ ...before, ...part }));
  const clear = () => {
    setChosen(NO_FILTERS);
    onApply(NO_FILTERS);
  };
  return (
    <form
      aria-label="More filters"
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(chosen);
      }}
    >
      <Choices
        legend="Interests"
        all={INTEREST_NAMES}
        labelOf={(one) => INTERESTS[one]}
        chosen={chosen.interests}
        onChange={(interests) => change({ interests })}
        className="grid-cols-2 md:grid-cols-3 xl:grid-cols-4"
      />
      <Choices
        legend="Age"
        all={AGES}
        labelOf={(one) => one}
        chosen={chosen.ages}
        onChange={(ages) => change({ ages })}
        className="grid-cols-3 md:grid-cols-7"
      />
      <Choices
        legend="Gender"
        all={GENDERS}
        labelOf={(one) => GENDER_LABELS[one]}
        chosen={chosen.genders}
        onChange={(genders) => change({ genders })}
        className="grid-cols-2 md:grid-cols-4"
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" size="sm" variant="primary">
          Apply filters
        </Button>
        <Button size="sm" variant="quiet" onClick={clear}>
          Clear filters
        </Button>
      </div>
    </form>
  );
}

/** Region and kind of trends, a search, and filters that open on demand. */
export function Filters({ query, onChange }: FiltersProps) {
  const panelId = useId();
  const { interests, ages, genders } = query;
  const count = interests.length + ages.length + genders.length;
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label="Filters" className="mb-5 grid gap-3">
      <Search query={query} onChange={onChange} />
      <div className="grid gap-3 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] md:items-end">
        <SelectField
          label="Region"
          value={query.region}
          onChange={({ target }) => onChange({ region: REGION_NAMES.find((one) => one === target.value) ?? "US" })}
        >
          {REGION_NAMES.map((region) => (
            <option key={region} value={region}>
              {REGIONS[region]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Trend type"
          value={query.type}
          onChange={({ target }) => onChange({ type: TREND_TYPES.find((one) => one === target.value) ?? "growing" })}
        >
          {TREND_TYPES.map((type) => (
            <option key={type} value={type}>
              {TYPE_LABELS[type]}
            </option>
          ))}
        </SelectField>
        <Button aria-expanded={isOpen} aria-controls={panelId} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal aria-hidden="true" />
          {count === 0 ? "More filters" : `More filters (${count})`}
        </Button>
      </div>
      <div id={panelId} hidden={!isOpen} className="rounded-card bg-surface p-5 shadow-card">
        <MoreFilters applied={{ interests, ages, genders }} onApply={onChange} />
      </div>
    </section>
  );
}
