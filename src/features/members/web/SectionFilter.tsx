import { Badge } from '#ui/Badge.tsx';
import { ToggleChip } from '#ui/ToggleChip.tsx';
import type { Section } from '#features/sections/contract.ts';
import { t } from '#features/members/messages.ts';

type SectionFilterProps = {
  /** The sections of the club. Without any, there is nothing to choose. */
  sections: readonly Pick<Section, 'id' | 'name'>[];
  /** The id of the chosen section. */
  value: string | undefined;
  onChange: (section: string | undefined) => void;
  className?: string;
};

/** Buttons that limit a list of members to one section. A second tap shows all members again. */
export const SectionFilter = ({ sections, value, onChange, className = '' }: SectionFilterProps) =>
  sections.length > 0 && (
    <div role="group" aria-label={t('filterBySection')} className={`flex flex-wrap gap-2 ${className}`}>
      {sections.map(({ id, name }) => (
        <ToggleChip
          key={id}
          aria-pressed={id === value}
          onClick={() => onChange(id === value ? undefined : id)}
        >
          {name}
        </ToggleChip>
      ))}
    </div>
  );

type SectionBadgesProps = { sections: readonly Section[]; ids: readonly string[]; className?: string };

/** The sections of a member. */
export const SectionBadges = ({ sections, ids, className = '' }: SectionBadgesProps) =>
  ids.length > 0 && (
    <span className={`flex flex-wrap gap-1 ${className}`}>
      {sections
        .filter(({ id }) => ids.includes(id))
        .map(({ id, name }) => (
          <Badge key={id} className="max-w-full wrap-anywhere whitespace-normal! hyphens-auto">
            {name}
          </Badge>
        ))}
    </span>
  );
