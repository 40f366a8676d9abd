import type { ErrorCode } from '#wire/errors.ts';
import type { SectionChange } from '#features/members/log-contract.ts';
import type { Section } from '#features/sections/contract.ts';

/** The maximum number of sections of a club. */
export const maxSections = 30;

/** The form in which names are compared: without differences of case. */
export const foldedName = (name: string): string => name.normalize('NFKC').toUpperCase();

export type NamedSection = Pick<Section, 'id' | 'name'>;

interface Request {
  /** In their new order: existing sections, with a new name if there is one, and new ones. */
  sections: readonly { id?: string | undefined; name?: string | undefined }[];
  remove: readonly string[];
}

/** Applies a request to the sections of a club, which are in order. Returns them in their new order, or why that is impossible. */
export function arrange(
  current: readonly NamedSection[],
  { sections, remove }: Request,
  newId: () => string,
): NamedSection[] | ErrorCode {
  const byId = new Map(current.map((section) => [section.id, section]));
  const named = [...sections.flatMap(({ id }) => id ?? []), ...remove];
  if (new Set(named).size < named.length || named.some((id) => !byId.has(id))) return 'bad_input';
  const sent = sections.map(({ id = newId(), name = byId.get(id)?.name ?? '' }) => ({ id, name }));
  const next = [...sent, ...current.filter(({ id }) => !named.includes(id))];
  if (new Set(next.map(({ name }) => foldedName(name))).size < next.length) return 'bad_input';
  return next.length > maxSections ? 'too_many_sections' : next;
}

/** What differs between two lists of sections. */
export function changesOf(before: readonly NamedSection[], now: readonly NamedSection[]): SectionChange[] {
  const names = new Map(before.map(({ id, name }) => [id, name]));
  const stayed = now.filter(({ id }) => names.has(id));
  const order = before.filter(({ id }) => stayed.some((section) => section.id === id));
  const changes: Partial<Record<SectionChange, boolean>> = {
    added: stayed.length < now.length,
    renamed: stayed.some(({ id, name }) => names.get(id) !== name),
    ordered: order.some(({ id }, at) => id !== stayed[at]?.id),
    removed: stayed.length < before.length,
  };
  return (Object.keys(changes) as SectionChange[]).filter((change) => changes[change]);
}

/** Whether an event or a series is for a member, as the function `is_for` in the database has it. */
export const isFor = (sectionsOfEvent: readonly string[], sectionsOfMember: readonly string[]): boolean =>
  sectionsOfEvent.length === 0 || sectionsOfEvent.some((id) => sectionsOfMember.includes(id));

/** The sections of an event, and how many are needed in all and in sections. */
export interface Audience {
  section_ids: readonly string[];
  needed: Readonly<Record<string, number>>;
}

/** What stays of the sections and numbers of an event if only these sections exist. */
export function withoutRemoved({ section_ids, needed }: Audience, existing: readonly string[]) {
  const kept = section_ids.filter((id) => existing.includes(id));
  const counted = kept.length > 0 ? kept : existing;
  return {
    section_ids: kept,
    needed: Object.fromEntries(
      Object.entries(needed).filter(([key]) => key === 'all' || counted.includes(key)),
    ),
  };
}

/** Sections must exist and appear once. Numbers must be for all, or for sections that the event is for. */
export function whyIsForNobody(event: Audience, existing: readonly string[]): ErrorCode | undefined {
  const { section_ids, needed } = withoutRemoved(event, existing);
  const isValid =
    new Set(section_ids).size === event.section_ids.length &&
    Object.keys(needed).length === Object.keys(event.needed).length;
  return isValid ? undefined : 'bad_input';
}
