import { saveSettings } from '#platform/notices/settings.ts';
import { addSeconds, instant } from '#wire/instant.ts';
import { dateIn } from '#wire/wall-time.ts';
import { handlers as clubs } from '#features/clubs/handlers.ts';
import { answerForMember, addAbsence } from '#features/events/absences/store.ts';
import { handlers as invites } from '#features/invites/handlers.ts';
import { role } from '#features/members/rules.ts';
import { handlers as members } from '#features/members/handlers.ts';
import { handlers as sections } from '#features/sections/handlers.ts';
import { handlers as users } from '#features/users/handlers.ts';
import { day, hour, unwrap, type As, type ClubState, type Step } from '#app/demo/steps.ts';

export function founding(club: ClubState): Step[] {
  const { club_name, club_description, location_name, website, founded } = club;
  const found = async (as: As) => {
    const founder = await as(club.admins[0]);
    club.id = unwrap(await clubs.create(founder, { club_name })).id;
    const meta = website === undefined ? {} : { website };
    await clubs.update(founder, { club: club.id, club_description, location_name, meta });
  };
  club.joined.set(club.admins[0], founded);
  return [{ at: founded, act: found }];
}

export function joining(club: ClubState): Step[] {
  const { admins, organisers, mutedBy, weeklyFor, founded, now, linkMadeDaysAgo = 3 } = club;
  const [founder, ...others] = admins;
  const helpers = [...others, ...organisers];
  const newest = now - (linkMadeDaysAgo + 1) * day;
  const joins = [...helpers, ...club.members].map((key, index) => {
    // Admins and organisers join in the first days.
    const at =
      founded + day + (helpers.includes(key) ? index * day : club.random() * (newest - founded - day));
    club.joined.set(key, at);
    const join = async (as: As) => {
      const { invite_link } = unwrap(await invites.create(await as(founder), { club_id: club.id }));
      const member = unwrap(await joinBy(as, key, invite_link));
      const { user } = member;
      if (index % 3 === 0) {
        // Numbers that Ofcom reserves for fiction.
        await users.update(member, { phone: `+44 20 7946 0${100 + index}` });
        await members.setContact(member, { club: club.id, phone_for: index % 2 === 0 ? 'hosts' : 'members' });
      }
      if (key === mutedBy) await members.mute(member, { club: club.id, muted: true });
      if (key === weeklyFor) await saveSettings(member.db, user.id, { weekly_email: true }, instant(now));
      const next = others.includes(key)
        ? role.admin
        : organisers.includes(key)
          ? role.organiser
          : role.member;
      if (next !== role.member)
        await members.changeRole(await as(founder), { club: club.id, member: user.id, role: next });
    };
    return { at, act: join };
  });
  return [...joins, { at: newest + day, act: (as) => createFinalLink(club, as) }];
}

export function lettingOrganisersPlan(club: ClubState): Step[] {
  const { admins, organisersPlanDaysAgo, now } = club;
  if (organisersPlanDaysAgo === undefined) return [];
  const decide = async (as: As) =>
    clubs.update(await as(admins[0]), { club: club.id, organisers_plan: true });
  return [{ at: now - organisersPlanDaysAgo * day, act: decide }];
}

export function offering(club: ClubState): Step[] {
  const { admins, offer, now } = club;
  if (!offer) return [];
  // The id of the club is known once it is founded.
  const act = async (as: As) => {
    const { user } = await as(offer.to);
    await members.offerHandover(await as(admins[0]), {
      club: club.id,
      user_id: user.id,
      afterwards: 'step_down',
    });
  };
  return [{ at: now - offer.daysAgo * day, act }];
}

/** Members say when they are away. */
export const beingAway = (club: ClubState): Step[] =>
  (club.absences ?? []).map(({ member, from, to, daysAgo }) => ({
    at: club.now - daysAgo * day,
    act: async (as: As) => {
      const { db, user, now } = await as(member);
      const on = (days: number) => dateIn('UTC', addSeconds(instant(club.now), days * 86_400));
      await addAbsence(db, user.id, { first_on: on(from), last_on: on(to) });
      await answerForMember(db, { club_id: club.id, user_id: user.id }, now);
    },
  }));

/** Names the sections of a club after its members have joined. */
export function naming(club: ClubState): Step[] {
  const { admins, sections: membersOf, linkMadeDaysAgo = 3, now } = club;
  if (!membersOf) return [];
  const act = async (as: As) => {
    const founder = await as(admins[0]);
    const names = Object.keys(membersOf).map((name) => ({ name }));
    const saved = unwrap(await sections.save(founder, { club: club.id, sections: names, remove: [] }));
    for (const { id: section, name } of saved) {
      club.sectionIds.set(name, section);
      const add = await Promise.all((membersOf[name] ?? []).map(async (key) => (await as(key)).user.id));
      await sections.changeMembers(founder, { club: club.id, section, add, remove: [] });
    }
  };
  return [{ at: now - linkMadeDaysAgo * day + hour, act }];
}

async function joinBy(as: As, key: string, invite: string) {
  const member = await as(key);
  unwrap(await invites.join(member, { invite }));
  return member;
}

/** Creates the final invite link of a club, which is then active, expired or deleted. */
async function createFinalLink({ id, admins, linkMadeDaysAgo }: ClubState, as: As): Promise<void> {
  const founder = await as(admins[0]);
  const { invite_link } = unwrap(await invites.create(founder, { club_id: id }));
  if (linkMadeDaysAgo === undefined) await invites.remove(founder, { invite: invite_link });
}
