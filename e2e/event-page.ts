import type { Page } from '@playwright/test';
import type { ClubHandle } from '#e2e/people.ts';

export const eventPath = ({ slug }: { slug: string }) => `/app/events/${slug}`;
export const clubPath = ({ slug }: ClubHandle) => `/app/clubs/${slug}`;

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** The names of attendees, which are folded at first. */
export const attendees = (page: Page) =>
  page
    .getByRole('list', { name: 'Attendees', includeHidden: true })
    .getByRole('listitem', { includeHidden: true });

/** The card of an event in a list. */
export const card = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** A detail of an event, found by its heading. */
export const fact = (page: Page, name: string) =>
  page.getByRole('heading', { name, exact: true }).locator('..');
