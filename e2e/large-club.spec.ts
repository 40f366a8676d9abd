import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import pg from 'pg';
import { expect, test, type ClubHandle } from './people.ts';

const count = 130;

/** Fills a club with more upcoming events, previous events and members than fit on one page of the API. */
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
  for (const [words, hours] of Object.entries({ Coming: 'n', Past: '-n - 2' }))
    await client.query(`
      insert into events (id, slug, owner_club_id, name, location_name, start_time, end_time, entry_until_time,
        time_zone, created_at, updated_at)
      select gen_random_uuid(), gen_random_uuid(), '${id}', '${words} ' || ${name}, 'Pier', start, start + interval '1 hour',
        start, 'UTC', now(), now()
      from generate_series(1, ${count}) n, lateral (select now() + (${hours}) * interval '1 hour') times (start)`);
  await client.end();
}

const namesOf = (word: string) =>
  Array.from({ length: count }, (_, n) => `${word} ${String(n + 1).padStart(3, '0')}`);

const button = (page: Page, name: string) => page.getByRole('button', { name });

/** For each of the given lengths, waits until the list has that length, then presses the button. */
async function showMore(list: Locator, more: Locator, ...lengths: number[]): Promise<void> {
  for (const length of lengths) {
    // A hundred rows take some seconds on a busy machine.
    await expect(list).toHaveCount(length, { timeout: 20_000 });
    await more.click();
  }
}

test('large club: lists all events and members page by page, and an admin finds any member [MEMBERS-07 CLUBUX-03]', async ({
  person,
  club,
}) => {
  // It shows hundreds of rows seven times.
  test.slow();
  const ada = await person('Ada');
  const { page } = ada;
  const handle = await club([ada]);
  await fill(handle);
  await page.goto(`/app/clubs/${handle.slug}`);
  const cards = (group: string) =>
    page.getByRole('region', { name: group, exact: true }).getByRole('article').getByRole('heading');
  await expect(page.getByRole('heading', { name: 'Events260' })).toBeVisible();

  await showMore(cards('Upcoming'), button(page, 'Show more upcoming events'), 10, 100);
  await expect(cards('Upcoming')).toHaveText(namesOf('Coming'));
  await expect(button(page, 'Show more upcoming events')).toHaveCount(0);

  const broken = /\/events\?.*after=/;
  await page.route(broken, (route) => route.abort());
  await button(page, 'Show more previous events').click();
  await showMore(cards('Previous'), button(page, 'Show more previous events'), 100);
  await expect(page.getByRole('alert')).toHaveText("We couldn't load the rest.");
  await page.unroute(broken);
  await button(page, 'Try Again').click();
  await expect(cards('Previous')).toHaveText(namesOf('Past'));

  await page.getByRole('combobox', { name: 'Month' }).selectOption({ index: 1 });
  await expect(page.getByRole('table').getByRole('link').first()).toBeVisible();
  await page.getByRole('radio', { name: 'Mine' }).check({ force: true });
  await expect(page.getByRole('table').getByRole('link')).toHaveCount(0);

  const more = button(page, 'Show more members');
  const members = page.getByRole('region', { name: /^Members/ }).getByRole('listitem');
  await expect(members).toHaveCount(8);
  await button(page, `Show all ${count + 1} members`).click();
  await showMore(members, more, 100);
  await expect(members).toHaveCount(count + 1);
  await expect(more).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Find a member' }).fill('130 member');
  await expect(members).toHaveText(['Member 130']);

  await page.goto(`/app/clubs/${handle.slug}/members`);
  const rows = page.getByRole('rowheader');
  await showMore(rows, more, 100);
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
  await expect(page.getByText('No one found')).toBeVisible();
  await field.fill('');
  await expect(rows).toHaveCount(count + 1);
});
