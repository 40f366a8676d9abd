import { eventFields } from '#features/events/field-contract.ts';
import type { Section } from '#features/sections/contract.ts';
import { cn } from '#ui/class-names.ts';
import { Field } from '#ui/Field.tsx';
import { TextInput } from '#ui/TextInput.tsx';
import { ToggleChip } from '#ui/ToggleChip.tsx';
import { t } from '#features/events/form-messages.ts';

type SectionsFieldProps = {
  sections: readonly Section[];
  value: readonly string[];
  onChange: (ids: string[]) => void;
};

/** Buttons to choose the sections that an event is for. Without any, it is for everybody. */
export const SectionsField = ({ sections, value, onChange }: SectionsFieldProps) => (
  <fieldset>
    <legend className="text-sm font-semibold">{t('forWhom')}</legend>
    <p className="mb-2 text-sm text-muted">{t('forHint')}</p>
    <div className="flex flex-wrap gap-2">
      {sections.map(({ id, name }) => (
        <ToggleChip
          key={id}
          aria-pressed={value.includes(id)}
          onClick={() =>
            onChange(value.includes(id) ? value.filter((other) => other !== id) : [...value, id])
          }
        >
          {name}
        </ToggleChip>
      ))}
    </div>
  </fieldset>
);

type NeededFieldProps = {
  sections: readonly Section[];
  /** The ids of the sections that the event is for. */
  chosen: readonly string[];
  value: Readonly<Record<string, number>>;
  onChange: (needed: Record<string, number>) => void;
};

/** A number for everybody, and one for each section. An empty one means that no number is needed. */
export function NeededField({ sections, chosen, value, onChange }: NeededFieldProps) {
  const counted = chosen.length > 0 ? sections.filter(({ id }) => chosen.includes(id)) : sections;
  const change = (key: string, text: string) => {
    const { [key]: _, ...others } = value;
    const n = Math.min(eventFields.needed.max, Number(text.replaceAll(/\D/g, '')));
    onChange(n > 0 ? { ...others, [key]: n } : others);
  };
  return (
    <fieldset>
      <legend className="text-sm font-semibold">{t('needed')}</legend>
      <p className="mb-2 text-sm text-muted">{t('neededHint')}</p>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,9rem),1fr))] items-end gap-3">
        {[{ id: 'all', name: t('neededInAll') }, ...counted].map(({ id, name }) => (
          <Field key={id} label={name} className={cn(id === 'all' && 'col-span-full')}>
            <TextInput
              inputMode="numeric"
              autoComplete="off"
              value={value[id] ?? ''}
              onChange={({ target }) => change(id, target.value)}
            />
          </Field>
        ))}
      </div>
    </fieldset>
  );
}
