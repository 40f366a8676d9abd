import { type FC, type ReactNode, useEffect, useRef, useState } from 'react';
import {
  emptyEventFields,
  eventFieldKeys,
  eventFields,
  keysByImportance,
  questionKeys,
  type EventField,
  type EventFields,
  type EventPatch,
} from '#features/events/field-contract.ts';
import { ChangedMeanwhile, type TheirValue } from '#web/ChangedMeanwhile.tsx';
import { isSameValue, isRepeated } from '#features/events/form-rules.ts';
import { sentence } from '#web/explain.ts';
import { isBlank } from '#wire/blank.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { BottomBar } from '#ui/BottomBar.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Checkbox } from '#ui/Checkbox.tsx';
import { Field } from '#ui/Field.tsx';
import { NumberStepper } from '#ui/NumberStepper.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { type FormPart, OpenPart, PartChips } from './FormParts.tsx';
import type { Section } from '#features/sections/contract.ts';
import { withoutRemoved } from '#features/sections/rules.ts';
import { NeededField, SectionsField } from './SectionFields.tsx';
import { t as ofForm } from '#features/events/form-messages.ts';
import { t } from '#features/events/messages.ts';
import type { Elements } from '#ui/elements.ts';

interface ControlProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  required: boolean;
  error: ReactNode;
  isNew: boolean;
  /** All values of the form, and the sections of the club. */
  values: EventFields;
  sections: readonly Section[];
}

export const fieldLabels = (): Record<EventField, string> => ({
  name: t('title'),
  location_name: t('location'),
  description: t('description'),
  details: t('details'),
  capacity: t('seats'),
  waitlist: t('waitlist'),
  guests_max: t('guestsPerPerson'),
  question: ofForm('question'),
  choices: ofForm('choices'),
  section_ids: ofForm('forWhom'),
  needed: ofForm('needed'),
});

/** The control of each field. */
const controls: { [Key in EventField]: FC<ControlProps<EventFields[Key]>> } = {
  name: (props) => <Line label={fieldLabels().name} max={eventFields.name.max} {...props} />,
  location_name: (props) => (
    <Line label={fieldLabels().location_name} max={eventFields.location_name.max} {...props} />
  ),
  description: (props) => (
    <Lines
      label={fieldLabels().description}
      hint={t('descriptionHint')}
      rows={2}
      max={eventFields.description.max}
      {...props}
    />
  ),
  details: (props) => (
    <Lines
      label={fieldLabels().details}
      hint={t('detailsHint')}
      rows={6}
      max={eventFields.details.max}
      {...props}
    />
  ),
  capacity: ({ value, onChange, error }) => (
    <Field label={fieldLabels().capacity} hint={t('seatsHint')} error={error}>
      <TextInput
        inputMode="numeric"
        autoComplete="off"
        value={value ?? ''}
        onChange={({ target }) => onChange(seatsIn(target.value))}
      />
    </Field>
  ),
  waitlist: ({ value, onChange }) => (
    <Checkbox
      label={fieldLabels().waitlist}
      hint={t('waitlistHint')}
      checked={value}
      onChange={({ target }) => onChange(target.checked)}
    />
  ),
  guests_max: ({ value, onChange, error }) => (
    <Field label={fieldLabels().guests_max} hint={t('guestsPerPersonHint')} error={error} required>
      <NumberStepper min={0} max={eventFields.guests_max.max} value={value} onChange={onChange} />
    </Field>
  ),
  question: ({ value, onChange, error }) => (
    <Field label={fieldLabels().question} hint={ofForm('questionHint')} error={error}>
      <TextInput
        maxLength={eventFields.question.max}
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  ),
  choices: ({ value, onChange }) => <Choices choices={value} onChange={onChange} />,
  section_ids: ({ value, onChange, sections }) => (
    <SectionsField sections={sections} value={value} onChange={onChange} />
  ),
  needed: ({ value, onChange, values, sections }) => (
    <NeededField chosen={values.section_ids} sections={sections} value={value} onChange={onChange} />
  ),
};

/** An empty field means no limit. */
const seatsIn = (text: string): number | null =>
  Math.min(eventFields.capacity.max, Number(text.replaceAll(/\D/g, ''))) || null;

type LineProps = ControlProps<string> & { label: string; max: number };

const Line = ({ label, max, value, onChange, required, error }: LineProps) => (
  <Field label={label} hint={charactersLeft(max - value.length)} error={error} required={required}>
    <TextInput
      maxLength={max}
      autoComplete="off"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  </Field>
);

/** One line for each choice, and an empty one for the next choice. An empty line is no choice. */
function Choices({ choices, onChange }: { choices: string[]; onChange: (choices: string[]) => void }) {
  const { max } = eventFields.choices;
  const lines = choices.length < max ? [...choices, ''] : choices;
  const change = (at: number, text: string) => {
    const next = lines.map((line, of) => (of === at ? text : line));
    onChange(next.slice(0, next.findLastIndex((line) => line !== '') + 1));
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-sm font-semibold">{fieldLabels().choices}</legend>
      <p className="text-sm text-muted">{ofForm('choicesHint', { n: max })}</p>
      {lines.map((line, at) => (
        <Field
          // eslint-disable-next-line react/no-array-index-key -- a line is known by its place
          key={at}
          label={ofForm('choice', { n: at + 1 })}
          labelHidden
          error={isRepeated(lines, at) && ofForm('choiceTwice')}
        >
          <TextInput
            maxLength={eventFields.choices.maxLength}
            autoComplete="off"
            value={line}
            onChange={({ target }) => change(at, target.value)}
          />
        </Field>
      ))}
    </fieldset>
  );
}

/** Shows the remaining characters close to the limit. */
const charactersLeft = (left: number) => left <= 20 && t('charactersLeft', { n: left });

type LinesProps = LineProps & { hint: string; rows: number };

const Lines = ({ label, max, hint, rows, value, onChange, required, error, isNew }: LinesProps) => (
  <Field label={label} hint={isNew && hint} error={error} required={required}>
    <TextArea rows={rows} maxLength={max} value={value} onChange={({ target }) => onChange(target.value)} />
  </Field>
);

const settings = eventFieldKeys.filter((key) => eventFields[key].kind === 'setting' && key !== 'section_ids');
const [titleKey, placeKey, ...textKeys] = keysByImportance as [EventField, EventField, ...EventField[]];

const requiredOfNewEvent: ReadonlySet<EventField> = new Set(['name', 'location_name']);

export type EventFormProps = {
  /** The form of a new event explains its fields and marks only those that must be filled in. */
  isNew?: boolean;
  values: EventFields;
  /** The sections of the club. */
  sections: readonly Section[];
  onChange: (patch: EventPatch) => void;
  errors: { [Key in EventField]?: ReactNode };
  /** Shown after the title. */
  when: Elements;
  /** Several times to vote on, after the first. */
  times?: FormPart | undefined;
  /** Shown after the place, so that a phone shows title, time and place at once. */
  repeats?: FormPart | undefined;
  /** Shown after all other fields. */
  more?: Elements;
  onSubmit: () => void;
  /** Changes with each failed validation, to focus the first invalid field. */
  invalid: unknown;
  submitLabel: string;
  busyLabel: string;
  busy: boolean;
  notSaved: string;
  failure: Error | null;
  /** After a conflict: the values that others entered in the same fields. */
  theirValues?: readonly TheirValue[] | undefined;
};

/** The form of an event. Its fields are in order of importance. */
export function EventForm({
  isNew = false,
  values,
  sections,
  onChange,
  errors,
  when,
  times,
  repeats,
  more,
  invalid,
  ...form
}: EventFormProps) {
  const element = useFocusOnError(invalid);
  /** The part that the user has unfolded last. */
  const [focused, setFocused] = useState<string>();
  const text = useFolding(values, isNew ? [...textKeys, ...questionKeys] : []);
  const seats = useFolding(values, settings);
  const audience = useFolding(values, ['section_ids']);
  /** Numbers for sections that the event is not for any more go with them. */
  const changeOf = (key: EventField, value: unknown): EventPatch => {
    if (key !== 'section_ids') return { [key]: value };
    const section_ids = value as string[];
    return withoutRemoved(
      { section_ids, needed: values.needed },
      sections.map(({ id }) => id),
    );
  };
  const controlOf = (key: EventField) => {
    const Control = controls[key] as FC<ControlProps<unknown>>;
    return (
      <Control
        key={key}
        value={values[key]}
        onChange={(value) => onChange(changeOf(key, value))}
        required={!isNew || requiredOfNewEvent.has(key)}
        error={errors[key] || undefined}
        isNew={isNew}
        values={values}
        sections={sections}
      />
    );
  };
  const shownKeys = questionKeys.filter((key) => key !== 'choices' || !isBlank(values.question));
  const texts: FormPart = {
    ...text,
    label: t('moreText'),
    content: [...textKeys, ...shownKeys].map(controlOf),
  };
  const forPart: FormPart | undefined =
    sections.length > 0
      ? { ...audience, label: ofForm('forWhom'), content: controlOf('section_ids') }
      : undefined;
  const settingsPart: FormPart = { ...seats, label: t('seatsAndGuests'), content: settings.map(controlOf) };
  const parts = [forPart, repeats, times, settingsPart, texts]
    .filter((part) => part !== undefined)
    .map((part) => ({
      ...part,
      unfold: () => {
        setFocused(part.label);
        part.unfold();
      },
    }));
  const open = (part: FormPart | undefined) =>
    part?.isOpen && <OpenPart takesFocus={part.label === focused}>{part.content}</OpenPart>;
  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.onSubmit();
      }}
      className="flex flex-col gap-5"
    >
      <Card className="flex flex-col gap-5">
        {controlOf(titleKey)}
        {when}
        {open(times)}
        {controlOf(placeKey)}
        {open(forPart)}
        {open(repeats)}
        {open(texts)}
        {open(settingsPart)}
        <PartChips label={t('addToEvent')} parts={parts} />
        {more}
      </Card>
      <BottomBar className="flex flex-col gap-3">
        <ChangedMeanwhile values={form.theirValues} />
        <NotSaved title={form.notSaved} reason={form.failure && sentence(form.failure)} />
        <Button type="submit" size="lg" busy={form.busy} busyLabel={form.busyLabel} className="lg:self-end">
          {form.submitLabel}
        </Button>
      </BottomBar>
    </form>
  );
}

/** A part stays open from the first time on that one of its fields has another value than that of a new event. */
function useFolding(values: EventFields, keys: readonly EventField[]) {
  const isNeeded = keys.some((key) => !isSameValue(values[key], emptyEventFields[key]));
  const [isOpen, setOpen] = useState(isNeeded || keys.length === 0);
  if (isNeeded && !isOpen) setOpen(true);
  return { isOpen, unfold: () => setOpen(true) };
}

/** Focuses the first invalid field each time validation fails, and unfolds the part that contains it. */
function useFocusOnError(invalid: unknown) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!invalid) return;
    const field = element.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    field?.closest('details')?.setAttribute('open', '');
    field?.focus({ preventScroll: true });
    // Scrolls the field to the centre, so that the bar does not cover the error below the field.
    field?.scrollIntoView?.({ block: 'center' });
  }, [invalid]);
  return element;
}
