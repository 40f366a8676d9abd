import type { FC, ReactNode, Ref } from 'react';
import {
  eventFieldKeys,
  eventFields,
  keysByImportance,
  type EventField,
  type EventFields,
  type EventPatch,
} from '#features/events/contract.ts';
import { sentence } from '#web/explain.ts';
import { NotSaved } from '#ui/Banner.tsx';
import { Button } from '#ui/Button.tsx';
import { Card } from '#ui/Card.tsx';
import { Field } from '#ui/Field.tsx';
import { TextArea } from '#ui/TextArea.tsx';
import { TextInput } from '#ui/TextInput.tsx';

interface ControlProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  required: boolean;
  error: ReactNode;
  isNew: boolean;
}

/** The label and the control of each field. */
const controls: { [Key in EventField]: FC<ControlProps<EventFields[Key]>> } = {
  name: (props) => <Line label="Title" max={eventFields.name.max} {...props} />,
  location_name: (props) => <Line label="Location" max={eventFields.location_name.max} {...props} />,
  description: (props) => (
    <Lines
      label="Description"
      hint="Short summary, shown in lists"
      rows={2}
      max={eventFields.description.max}
      {...props}
    />
  ),
  details: (props) => (
    <Lines
      label="Details"
      hint="What should people know or bring?"
      rows={6}
      max={eventFields.details.max}
      {...props}
    />
  ),
};

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

/** Says how much still fits shortly before the limit. */
const charactersLeft = (left: number) =>
  left <= 20 && (left === 1 ? '1 character left' : `${left} characters left`);

type LinesProps = LineProps & { hint: string; rows: number };

const Lines = ({ label, max, hint, rows, value, onChange, required, error, isNew }: LinesProps) => (
  <Field label={label} hint={isNew && hint} error={error} required={required}>
    <TextArea rows={rows} maxLength={max} value={value} onChange={({ target }) => onChange(target.value)} />
  </Field>
);

const requiredOfNewEvent: ReadonlySet<EventField> = new Set(['name', 'location_name']);

export type EventFormProps = {
  ref?: Ref<HTMLFormElement>;
  /** The form of a new event explains its fields and marks only those that must be filled in. */
  isNew?: boolean;
  values: EventFields;
  onChange: (patch: EventPatch) => void;
  errors: { [Key in EventField]?: ReactNode };
  /** Further controls. */
  children?: ReactNode;
  onSubmit: () => void;
  submitLabel: string;
  busyLabel: string;
  busy: boolean;
  notSaved: string;
  failure: Error | null;
};

/** The form of an event. The fields of a new one are in order of importance. */
export function EventForm({
  ref,
  isNew = false,
  values,
  onChange,
  errors,
  children,
  ...form
}: EventFormProps) {
  return (
    <form
      ref={ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        form.onSubmit();
      }}
      className="flex flex-col gap-6"
    >
      <Card className="flex flex-col gap-5">
        {(isNew ? keysByImportance : eventFieldKeys).map((key) => {
          const Control = controls[key] as FC<ControlProps<unknown>>;
          return (
            <Control
              key={key}
              value={values[key]}
              onChange={(value) => onChange({ [key]: value })}
              required={!isNew || requiredOfNewEvent.has(key)}
              error={errors[key] || undefined}
              isNew={isNew}
            />
          );
        })}
      </Card>
      {children}
      <NotSaved title={form.notSaved} reason={form.failure && sentence(form.failure)} />
      <Button type="submit" size="lg" busy={form.busy} busyLabel={form.busyLabel} className="sm:self-end">
        {form.submitLabel}
      </Button>
    </form>
  );
}
