import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import pg from 'pg';
import { expect, test, type ClubHandle } from './people.ts';

const count = 130;

/** A club with more upcoming events, previous events and members than one page of the API. */
async function fill({ id, slug }: ClubHandle): Promise<void> {
  const socket = encodeURIComponent(join(process.env['E2E_DATA_DIR'] ?? '', 'postgres'));
  const client = new pg.Client(`postgresql://muster@localhost:5432/muster?host=${socket}&sslmode=disable`);
  await client.connect();
  const name = `lpad(n::text, 3, '0')`;
  await client.query(`
    with people as (
      insert into users (id, email, first_name, calendar_secret, created_at)
      select gen_random_uuid(), 'm' || ${name} || '@${slug}.example.org', 'Member ' || ${name}, gen_random_uuid(), now()
      from generate_series(1, ${count}) n returning id)
    insert into members (club_id, user_id, calendar_secret, joined_at) select '${id}', id, gen_random_uuid(), now() from people`);
  for (const [words, hours] of [
    ['Coming', 'n'],
    ['Past', '-n - 2'],
  ])
    await client.query(`
      insert into events (id, slug, owner_club_id, name, location_name, start_time, end_time, entry_until_time,
        time_zone, created_at, updated_at)
      select gen_random_uuid(), gen_random_uuid(), '${id}', '${words} ' || ${name}, 'Pier', start, start + interval '1 hour',
        start, 'UTC', now(), now()
      from generate_series(1, ${count}) n, lateral (select now() + (${hours}) * interval '1 hour') times (start)`);
  await client.end();
}

const namesFrom = (word: string, from = 1) =>
  Array.from({ length: count + 1 - from }, (_, n) => `${word} ${String(n + from).padStart(3, '0')}`);

async function expectAll(names: Locator, more: Locator, steps: readonly number[], all: readonly string[]) {
  for (const step of steps) {
    await expect(names).toHaveCount(step);
    await more.click();
  }
  await expect(names).toHaveText([...all]);
  await expect(more).toHaveCount(0);
}

const button = (page: Page, name: string) => page.getByRole('button', { name });

test('Show more: loads page after page until everything is listed once', async ({ person, club }) => {
  const { page, ...ada } = await person('Ada');
  const handle = await club([{ page, ...ada }]);
  await fill(handle);
  await page.goto(`/app/clubs/${handle.slug}`);
  const cards = (group: string) =>
    page.getByRole('region', { name: group, exact: true }).getByRole('article').getByRole('heading');
  const members = page.getByRole('region', { name: /^Members/ });
  await expect(page.getByRole('heading', { name: 'Events260' })).toBeVisible();
  await expectAll(
    cards('Upcoming'),
    button(page, 'Show more upcoming events'),
    [20, 100],
    namesFrom('Coming'),
  );

  const broken = /\/events\?.*after=/;
  await page.route(broken, (route) => route.abort());
  await button(page, 'Show more previous events').click();
  await expect(cards('Previous')).toHaveCount(100);
  await button(page, 'Show more previous events').click();
  await expect(page.getByRole('alert')).toHaveText('There is more, but it could not be loaded.');
  await page.unroute(broken);
  await button(page, 'Try Again').click();
  await expect(cards('Previous')).toHaveText(namesFrom('Past'));

  await expect(members.getByRole('listitem')).toHaveCount(12);
  await button(page, 'Show more members').click();
  await expect(members.getByRole('listitem')).toHaveCount(100);
  await button(page, 'Show more members').click();
  await expect(members.getByRole('listitem')).toHaveCount(count + 1);
  await expect(button(page, 'Show more members')).toHaveCount(0);
});

test('members of a large club: an admin finds any of them and changes their role [MEMBERS-07]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const handle = await club([ada]);
  await fill(handle);
  await page.goto(`/app/clubs/${handle.slug}/members`);
  const rows = page.getByRole('rowheader');
  await expect(rows).toHaveCount(100);
  await button(page, 'Show more members').click();
  await expect(rows).toHaveCount(count + 1);
  const role = page.getByLabel('Role of Member 130');
  await role.selectOption('Organiser');
  await expect(page.getByText('User role has been updated')).toBeVisible();
  await expect(rows).toHaveCount(count + 1);
  await expect(rows.last()).toHaveText(/Member 130/);

  const field = page.getByLabel('Find a member');
  await field.fill('130 member');
  await expect(rows).toHaveCount(1);
  await expect(role).toHaveValue('100');
  await field.fill('nobody like this');
  await expect(page.getByText('Nobody found')).toBeVisible();
  await field.fill('');
  await expect(rows).toHaveCount(100 + 31);
});
