import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { all, run, sql } from '#platform/db/client.ts';
import { digest, hmac, signed } from '#platform/token.ts';
import { answerToken } from '#features/events/mail.ts';
import { readToken } from '#features/updates/mail.ts';
import { unsubscribeToken } from '#features/notifications/handlers.ts';
import type { Facts, Row, Who } from '#test/authorisation-matrix.ts';
import { newSeries } from '#test/new-series.ts';
import type { Person, World } from '#test/world.ts';

const code = 'ABCDEF';
const emailCode = 'a code that was mailed to a new address';

/** A secret value, and the people who may read it. */
interface Secret {
  what: string;
  value: string | undefined;
  mayRead(row: Row, who: Who): boolean;
}

const insiders: ReadonlySet<Who> = new Set(['member', 'organiser', 'planner', 'admin', 'host']);
const isFeed = ({ row }: Row) => row === '52' || row === '53';
/** Rows whose request uses the revert link from an email to the target. */
const isRevert = ({ row }: Row) => row.startsWith('6 revert');
/** Rows whose request uses the answer link from an email to the target. */
const isAnswerLink = ({ row }: Row) => row.startsWith('67');
const isReadLink = ({ call }: Row) => call.path.startsWith('/v1/read-links/');
const isPreview = ({ row }: Row) => row.startsWith('27');
/** A notification stays readable after its recipient leaves the club. */
const isNotice = ({ row }: Row) => row === '10' || row === '45' || row.startsWith('46');
const wasTold: ReadonlySet<Who> = new Set(['ejected', 'left']);

/** A club with one person per column of the matrix, and a second club. By default, no admin has let organisers plan. */
export async function createScenario(w: World, { organisers_plan }: { organisers_plan?: boolean } = {}) {
  const named = async (who: string) =>
    w.person(`First-${who.replaceAll(' ', '-')}-name`, `Last-${who.replaceAll(' ', '-')}-name`);
  const scenario = {} as Record<Who, Person>;
  const roles = [
    'expired',
    'outsider',
    'admin of another club',
    'member',
    'organiser',
    'planner',
    'admin',
    'host',
    'ejected',
    'left',
    'deleted',
    'dead invite',
  ] as const;
  for (const who of roles) scenario[who] = await named(who);
  const [founder, target] = [await named('founder'), await named('target')];
  const inClub = [
    scenario.admin,
    scenario.host,
    scenario.member,
    scenario.organiser,
    scenario.planner,
    scenario.ejected,
    scenario.left,
    scenario.deleted,
    target,
  ];

  const club = await w.club([founder], 'Canary Rowers');
  const dead = (await founder.api.invites.create({ club_id: club.id })).invite_link;
  for (const person of inClub) await person.api.invites.join({ invite: dead });
  const live = (await founder.api.invites.create({ club_id: club.id })).invite_link;
  for (const { id } of [scenario.admin, scenario.host])
    await founder.api.members.changeRole({ club: club.id, member: id, role: 200 });
  for (const { id } of [scenario.organiser, scenario.planner])
    await founder.api.members.changeRole({ club: club.id, member: id, role: 100 });
  if (organisers_plan !== undefined) await founder.api.clubs.update({ club: club.id, organisers_plan });
  const texts = { name: 'Canary Regatta', details: 'Canary details', question: 'Allergies?' };
  const event = await w.event(club, scenario.host, texts);
  const planned = { ...newSeries, name: 'Canary Series', count: 2 };
  const poll = await w.poll(club, scenario.host, { name: 'Canary Picnic' });
  const series = await scenario.host.api.series.plan({ ...planned, club: club.id });
  await founder.api.members.changeRole({ club: club.id, member: scenario.host.id, role: 0 });
  const offer = { club: club.id, user_id: scenario.host.id, afterwards: 'step_down' } as const;
  await founder.api.members.offerHandover(offer);
  for (const { api } of inClub) await api.answers.attend({ event: event.id });
  await target.api.users.update({ phone: phoneOfTarget });
  await target.api.members.setContact({ club: club.id, phone_for: 'hosts' });
  const details = { note: 'Canary note', reply: 'Canary reply' };
  await target.api.answers.answer({ event: event.id, answer: 'going', ...details });
  const list = { event: event.id, kind: 'bring', title: 'Canary cake', places: 3 } as const;
  const [section] = await founder.api.sections.save({ club: club.id, sections: [{ name: 'Crew' }] });
  const [slot] = (await founder.api.slots.create(list)).slots;
  await target.api.slots.claim({ slot: slot?.id ?? '' });

  const stranger = scenario['admin of another club'];
  const other = await w.club([stranger], 'Foreign Sailors');
  const otherLink = (await stranger.api.invites.create({ club_id: other.id })).invite_link;
  await w.event(other, stranger, { name: 'Foreign Race', details: 'Foreign details' });

  const memberships = await all(
    w.db,
    sql<{
      user_id: string;
      club_id: string;
      calendar_secret: string;
      answer_key: string;
    }>`select * from members`,
  );
  const personal = await all(w.db, sql<{ id: string; calendar_secret: string }>`select * from users`);
  const clubSecretOf = (id: string, club_id: string) =>
    memberships.find((member) => member.user_id === id && member.club_id === club_id)?.calendar_secret;
  const personalSecretOf = (id: string) => personal.find((user) => user.id === id)?.calendar_secret;

  await founder.api.members.eject({ club: club.id, member: scenario.ejected.id });
  await scenario.left.api.members.leave({ club: club.id });
  await run(w.db, sql`delete from users where id = ${scenario.deleted.id}`);
  await run(w.db, sql`update sessions set access_ends_at = now() where user_id = ${scenario.expired.id}`);
  await run(
    w.db,
    sql`insert into email_changes (id, user_id, old_email, new_email, code_hash, code_ends_at, requested_at, ends_at)
        select id, id, email, 'pending-' || id || '@example.org', ${digest(emailCode)}, now() + interval '1 hour', now(),
          now() + interval '7 days' from users`,
  );
  await run(
    w.db,
    sql`insert into payment_accounts (user_id, account, email, changed_at)
        select id, 'acct_of_' || id, email, now() from users`,
  );

  const person = (who: Who): Person | undefined => (scenario as Partial<Record<Who, Person>>)[who];
  const session = (who: Who) => person(who)?.session.read();
  const email = (who: Who) => person(who)?.email ?? `${who.replaceAll(' ', '-')}@example.net`;
  for (const who of [...roles, 'nobody', 'garbage', 'feed holder'] as Who[]) await addCode(w, email(who));

  // One notification per user, because outsiders have none otherwise.
  await run(
    w.db,
    sql`insert into notices (id, user_id, kind, dedupe_key, facts, created_at)
        select id, id, 'member_removed', id, jsonb_build_object('club_name', 'Any club', 'club_id', id), now() from users`,
  );

  // Each member's update has the id of the member.
  await run(
    w.db,
    sql`insert into club_updates (id, club_id, creator_id, content, created_at, important)
        select user_id, club_id, user_id, 'Canary news', now(), true from members where club_id = ${club.id}`,
  );
  const message = randomUUID();
  await run(
    w.db,
    sql`insert into posts (id, club_id, event_id, audience, creator_id, content, created_at)
        values (${message}, ${club.id}, ${event.id}, '{maybe}', ${founder.id}, 'Canary message', now())`,
  );
  // Each absence has the id of its user.
  await run(
    w.db,
    sql`insert into absences (id, user_id, first_on, last_on) select id, id, now()::date - 9, now()::date - 9 from users`,
  );
  const question = randomUUID();
  await run(
    w.db,
    sql`insert into questions (id, event_id, author_id, question, asked_at)
        values (${question}, ${event.id}, ${founder.id}, 'Canary question', now())`,
  );
  // The changes are in the future, so that they can be undone during the whole test. Each has the id of its author.
  await run(
    w.db,
    sql`insert into event_changes (id, event_id, kind, actor_id, changed_at, sequence)
        select m.user_id, e.id, 'edit', m.user_id, now() + interval '1 day', e.sequence
        from events e join members m on m.club_id = e.owner_club_id where e.id = ${event.id}`,
  );
  const file = new Blob(
    [
      await sharp({ create: { width: 9, height: 9, channels: 3, background: '#456' } })
        .png()
        .toBuffer(),
    ],
    {
      type: 'image/png',
    },
  );
  const { name: updatePicture } = await founder.api.media.addToUpdate({ club: club.id, file });
  const { url } = await founder.api.media.setOwn({ file });

  const unsubscribe = unsubscribeToken(w.config, target.id, 'email_new_event');
  const revertEmail = changeOf(w, target.id);
  const answer_key = memberships.find(({ user_id }) => user_id === target.id)?.answer_key ?? '';
  const answerLink = answerToken(w.config, { user_id: target.id, event_id: event.id, answer_key });
  const facts: Facts = {
    club: club.id,
    otherClub: other.id,
    target: target.id,
    event: event.slug,
    series: series.slug,
    section: section?.id ?? '',
    slot: slot?.id ?? '',
    poll: poll.slug,
    time: poll.times[0],
    otherTime: poll.times[1],
    live,
    dead,
    code,
    emailCode,
    founder: founder.id,
    stranger: stranger.id,
    change: (who) => (insiders.has(who) ? (person(who)?.id ?? '') : scenario.admin.id),
    foreignChange: founder.id,
    unsubscribe,
    revertEmail,
    answerLink,
    readLink: readToken(w.config, { user_id: target.id, update_id: founder.id, answer_key }),
    notice: (who) => person(who)?.id ?? target.id,
    foreignNotice: target.id,
    update: founder.id,
    ownUpdate: (who) => (insiders.has(who) ? (person(who)?.id ?? '') : founder.id),
    message,
    question,
    updatePicture,
    file,
    picture: url.split('/').at(-1) as string,
    session: (who) => session(who)?.RefreshToken.Token.split('.')[0] ?? target.id,
    foreignSession: target.session.read()?.RefreshToken.Token.split('.')[0] ?? '',
    absence: (who) => person(who)?.id ?? target.id,
    foreignAbsence: target.id,
    email,
    account: (who) => `acct_of_${person(who)?.id}`,
    foreignAccount: `acct_of_${target.id}`,
    refresh: (who) => session(who)?.RefreshToken.Token ?? 'no token at all',
    clubSecret: (who) =>
      clubSecretOf(person(who === 'feed holder' ? 'member' : who)?.id ?? '', club.id) ??
      personalSecretOf(person(who)?.id ?? '') ??
      'a guess',
    personalSecret: (who) =>
      (who !== 'expired' && personalSecretOf(person(who === 'feed holder' ? 'member' : who)?.id ?? '')) ||
      'a guess',
  };

  const secrets: Secret[] = [
    {
      what: 'the phone of the target',
      value: phoneOfTarget,
      mayRead: ({ call }, who) =>
        (call.path.endsWith('/members/:user/contact') && ['admin', 'host'].includes(who)) ||
        (call.path.endsWith('/members/export') && who === 'admin'),
    },
    ...Object.entries({ ...scenario, founder, target }).flatMap(
      ([owner, { id, email: address, session: kept }]) => {
        const isOwn = (who: Who) => who === owner;
        const isStillInside = [...insiders, 'founder', 'target'].includes(owner as Who);
        const auth = kept.read();
        const slug = owner.replaceAll(' ', '-');
        return [
          {
            what: `e-mail of ${owner}`,
            value: address,
            mayRead: (row, who) =>
              isOwn(who) ||
              (who === 'admin' && row.row.startsWith('15') && isStillInside) ||
              (isRevert(row) && owner === 'target'),
          },
          {
            what: `new e-mail of ${owner}`,
            value: `pending-${id}`,
            mayRead: (row, who) => isOwn(who) || (isRevert(row) && owner === 'target'),
          },
          ...['First', 'Last'].map((part) => ({
            what: `${part} name of ${owner}`,
            value: `${part}-${slug}-name`,
            mayRead: (row: Row, who: Who) =>
              isOwn(who) ||
              // An invite shows the first name of its creator.
              (row.row === '23' && part === 'First' && owner === 'founder') ||
              (isAnswerLink(row) && part === 'First' && owner === 'target') ||
              (isStillInside && !isFeed(row) && (insiders.has(who) || (isNotice(row) && wasTold.has(who)))),
          })),
          {
            what: `access token of ${owner}`,
            value: auth?.AccessToken.Token,
            mayRead: (_row, who) => isOwn(who),
          },
          { what: `refresh token of ${owner}`, value: auth?.RefreshToken.Token, mayRead: () => false },
          {
            what: `personal feed of ${owner}`,
            value: personalSecretOf(id),
            mayRead: (row, who) =>
              isOwn(who) || (row.row === '53' && who === 'feed holder' && owner === 'member'),
          },
          {
            what: `club feed of ${owner}`,
            value: clubSecretOf(id, club.id),
            mayRead: (row, who) =>
              isOwn(who) || (row.row === '52' && who === 'feed holder' && owner === 'member'),
          },
          {
            what: `foreign club feed of ${owner}`,
            value: clubSecretOf(id, other.id),
            mayRead: (_row, who) => isOwn(who),
          },
          {
            what: `payment account of ${owner}`,
            value: `acct_of_${id}`,
            mayRead: (_row, who) => isOwn(who),
          },
        ] satisfies Secret[];
      },
    ),
    {
      what: 'the note to the hosts',
      value: 'Canary note',
      mayRead: ({ row }, who) =>
        ['62', '62 file', '63'].includes(row) && ['planner', 'admin', 'host'].includes(who),
    },
    {
      what: 'the reply to the question of the event',
      value: 'Canary reply',
      mayRead: ({ row }, who) =>
        ['62', '62 file'].includes(row) && ['planner', 'admin', 'host'].includes(who),
    },
    {
      what: 'a message to other members',
      value: 'Canary message',
      mayRead: (_row, who) => ['planner', 'admin', 'host'].includes(who),
    },
    {
      what: 'a question of another member',
      value: 'Canary question',
      mayRead: (_row, who) => ['planner', 'admin', 'host'].includes(who),
    },
    { what: 'the invite link', value: live, mayRead: ({ row }, who) => who === 'admin' && row === '22' },
    { what: 'the dead invite link', value: dead, mayRead: () => false },
    { what: 'the foreign invite link', value: otherLink, mayRead: () => false },
    { what: 'a code that was mailed', value: emailCode, mayRead: () => false },
    { what: 'the key of the server', value: w.config.secretKey, mayRead: () => false },
    { what: 'the unsubscribe token of the target', value: unsubscribe, mayRead: () => false },
    { what: 'the revert token of the target', value: revertEmail, mayRead: () => false },
    { what: 'the answer link of the target', value: answerLink, mayRead: () => false },
    { what: 'the read link of the target', value: facts.readLink, mayRead: () => false },
    { what: 'the secret of the answer link', value: answer_key, mayRead: () => false },
    {
      what: 'the name of the club',
      value: 'Canary Rowers',
      mayRead: (row, who) =>
        insiders.has(who) ||
        row.row === '23' ||
        isAnswerLink(row) ||
        isReadLink(row) ||
        isPreview(row) ||
        isFeed(row) ||
        (isNotice(row) && wasTold.has(who)),
    },
    {
      what: 'the name of the event',
      value: 'Canary Regatta',
      mayRead: (row, who) =>
        insiders.has(who) ||
        isPreview(row) ||
        isAnswerLink(row) ||
        (isFeed(row) && who === 'feed holder') ||
        (isNotice(row) && wasTold.has(who)),
    },
    {
      what: 'the details of the event',
      value: 'Canary details',
      mayRead: (row, who) => insiders.has(who) || (isFeed(row) && who === 'feed holder'),
    },
    ...['Foreign Sailors', 'Foreign Race', 'Foreign details'].map((value) => ({
      what: value,
      value,
      mayRead: (_row: Row, who: Who) => who === 'admin of another club',
    })),
  ];

  return {
    facts,
    token: (who: Who): string | undefined =>
      who === 'garbage' ? 'no-token-of-ours' : session(who)?.AccessToken.Token,
    idOf: (who: Who): string | null => person(who)?.id ?? null,
    /** The secrets in a response that its reader may not know. */
    leaks: (row: Row, who: Who, body: string): string[] =>
      secrets
        .filter(({ value, mayRead }) => value && body.includes(value) && !mayRead(row, who))
        .map(({ what }) => `tells ${what}`),
  };
}

export type Scenario = Awaited<ReturnType<typeof createScenario>>;

const phoneOfTarget = '+49 30 9182736';

/** The revert token of an email change. The changes above have the id of their user. */
const changeOf = ({ config }: World, id: string) => signed(config.secretKey, 'revert-email', id);

/** Adds a known code for an address, for each purpose. */
const addCode = ({ db, config }: World, email: string) =>
  run(
    db,
    sql`insert into login_codes (id, email, purpose, short_hash, long_hash, created_at, expires_at)
        select gen_random_uuid(), ${email}, purpose, ${hmac(config.secretKey, 'code', email, code)}, ${hmac(config.secretKey, 'code', email, `${code} of a link`)},
          now() - interval '5 minutes', now() + interval '5 minutes'
        from unnest(array['login', 'email_change', 'export', 'deletion']) as purpose`,
  );
