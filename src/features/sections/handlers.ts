import { randomUUID } from 'node:crypto';
import type { Context } from '#platform/context.ts';
import type { Handlers } from '#platform/http/endpoint.ts';
import { rereadable } from '#platform/http/rereadable.ts';
import { fail } from '#wire/errors.ts';
import {
  addLogEntry,
  asAdmin,
  asMember,
  asReadingMember,
  changeSection,
  endSections,
} from '#features/members/store.ts';
import type { sections } from '#features/sections/contract.ts';
import { arrange, changesOf } from '#features/sections/rules.ts';
import { areInUse, saveSections, sectionsOf } from '#features/sections/store.ts';

export const handlers: Handlers<typeof sections> = {
  ofClub: async ({ db, user }, { club }) => sectionsOf(db, await asReadingMember(db, user, club)),

  save: rereadable(async ({ db, user, now }, { club, sections, remove }) => {
    const admin = await asAdmin(db, user, club);
    const current = await sectionsOf(db, admin);
    const next = arrange(current, { sections, remove }, randomUUID);
    if (typeof next === 'string') fail(next);
    const changes = changesOf(current, next);
    if (changes.length > 0) {
      if (remove.length > 0 && (await areInUse(db, admin, remove, now))) fail('section_in_use');
      await saveSections(db, admin, next, now);
      if (remove.length > 0) await endSections(db, admin, remove);
      await addLogEntry(db, admin, { kind: 'sections', sections: changes }, now);
    }
    return admin.club_id;
  }, savedSections),

  async changeMembers({ db, user, now }, { club, section, add, remove }) {
    const admin = await asAdmin(db, user, club);
    const membersOfIt = async () =>
      (await sectionsOf(db, admin)).find(({ id }) => id === section)?.members ?? fail('not_found');
    const before = await membersOfIt();
    if (add.some((id) => remove.includes(id))) fail('bad_input');
    if (!(await changeSection(db, admin, section, { add, remove }, now))) return { members: before };
    await addLogEntry(db, admin, { kind: 'sections', sections: ['members'] }, now);
    return { members: await membersOfIt() };
  },
};

async function savedSections({ db, user }: Context<'user'>, _input: unknown, club: string) {
  return sectionsOf(db, await asMember(db, user, club));
}
