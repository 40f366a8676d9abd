import type { Page } from '@playwright/test';
import { newSeries } from '#test/new-series.ts';
import { button, clubPath, eventPath } from '#e2e/event-page.ts';
import { codeTo, expect, freshAddress, joinClub, test } from '#e2e/people.ts';
import { findings, phoneChecks } from '#e2e/screen-checks.ts';

/**
 * A small phone with text at 150 %. `check` collects what is wrong in states of a screen that nobody sees when it opens:
 * panels, dialogs, and answers.
 */
async function zoomed(page: Page) {
  await page.setViewportSize({ width: 360, height: 740 });
  const problems: string[] = [];
  return {
    problems,
    async open(path: string) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await page.evaluate(() => (document.documentElement.style.fontSize = '150%'));
    },
    async check(state: string) {
      problems.push(...(await findings(page, phoneChecks)).map((each) => `${state}: ${each}`));
    },
  };
}

test('German text at 150 % on 360 px: a member sees all of their answers, an absence, the bell and a wrong code [ROBUST-11 ROBUST-14 LANG-25 UX-09 AWAY-04]', async ({
  visitor,
  ada,
  bob,
  rowers,
  run,
  event,
}) => {
  await bob.api.users.update({ language: 'de' });
  const { slug } = await ada.api.series.plan({ ...newSeries, club: rowers.id });
  const [weekly] = (await ada.api.series.get({ series: slug })).events;
  const full = await event(rowers, ada, { name: 'Supper' });
  await ada.api.events.edit({ event: full.slug, club: rowers.id, capacity: 1 });
  const { page } = bob;
  const { open, check, problems } = await zoomed(page);
  await open(eventPath({ slug: weekly?.slug ?? '' }));
  await check('no answer');
  await button(page, 'Zusagen').click();
  await expect(button(page, 'Jeden Dienstag')).toBeVisible();
  await check('going');
  // The taller bar still covers no link at the end of the page.
  await page.getByRole('contentinfo').getByRole('link').last().click({ trial: true });
  await open(eventPath(full));
  await check('full');
  await page.getByRole('button', { name: 'Auf die Warteliste' }).click();
  await expect(button(page, 'Warteliste verlassen')).toBeVisible();
  await check('waiting');
  const day = (await bob.api.events.get({ event: run.slug })).start_time.slice(0, 10);
  await bob.api.absences.add({ first_on: day, last_on: day });
  await open(eventPath(run));
  await expect(button(page, 'Trotzdem zusagen')).toBeVisible();
  await check('away');
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Benachrichtigungen/ })
    .click();
  await expect(page.getByRole('link', { name: 'Einstellungen' })).toBeVisible();
  await check('bell');

  const entrance = await visitor({ locale: 'de' });
  const login = await zoomed(entrance.page);
  await login.open('/login');
  const email = freshAddress('horst');
  await entrance.page.getByRole('textbox', { name: 'E-Mail' }).fill(email);
  await button(entrance.page, 'Einloggen').click();
  await codeTo(email, 0);
  await entrance.page.getByRole('dialog').getByRole('textbox').fill('AAAAAA');
  await expect(entrance.page.getByText('Code noch einmal eingeben').first()).toBeVisible();
  await login.check('wrong code');
  expect([...problems, ...login.problems]).toEqual([]);
});

test('German text at 150 % on 360 px: a host sees all of the answers, the change of plan, the invite link and the attendance [ROBUST-11 ROBUST-14 LANG-25]', async ({
  ada,
  person,
  rowers,
  run,
}) => {
  await ada.api.users.update({ language: 'de' });
  await joinClub(
    rowers,
    ada,
    await person('Agnieszka', { last_name: 'Kowalska' }),
    await person('Eilidh', { last_name: 'MacDonald-Featherstonehaugh' }),
  );
  await ada.api.updates.sendMessage({ event: run.id, content: 'Treffpunkt: Nordtor', to: ['silent'] });
  const { page } = ada;
  const { open, check, problems } = await zoomed(page);
  await open(eventPath(run));
  await expect(page.getByText('An: Keine Antwort')).toBeVisible();
  await check('host');
  await button(page, 'Nachricht').click();
  await expect(page.getByRole('dialog', { name: 'Nachricht' }).getByRole('textbox')).toBeFocused();
  await check('message');
  await page.keyboard.press('Escape');
  await button(page, 'Planänderung').click();
  const plan = page.getByRole('dialog', { name: 'Planänderung' });
  await expect(plan.getByRole('radio', { name: 'Absagen' })).toBeAttached();
  await check('change of plan');
  await plan.getByRole('button', { name: 'Wetter' }).scrollIntoViewIfNeeded();
  await expect(plan.getByRole('button', { name: 'Wetter' })).toBeInViewport();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Mitbringen und Mitfahren planen' }).click();
  await expect(button(page, 'Hinzufügen')).toBeVisible();
  await check('bring list');
  await open(`${eventPath(run)}/answers?list=silent`);
  await expect(page.getByText('Agnieszka Kowalska')).toBeVisible();
  await check('answers');
  await open(`${clubPath(rowers)}/attendance`);
  await expect(page.getByText('Agnieszka Kowalska')).toBeVisible();
  await check('attendance');
  const name = 'Jugendmannschaft am Samstag';
  const [section] = await ada.api.sections.save({ club: rowers.id, sections: [{ name }] });
  await open(`${clubPath(rowers)}/sections`);
  await expect(page.getByRole('link', { name })).toBeVisible();
  await check('sections');
  await open(`${clubPath(rowers)}/sections/${section?.id}`);
  await expect(page.getByText('Agnieszka Kowalska')).toBeVisible();
  await check('members of a section');
  await open(clubPath(rowers));
  await button(page, 'Mitglieder einladen').first().click();
  await expect(page.getByRole('dialog').getByText(/^Noch/)).toBeVisible();
  await check('invite link');
  expect(problems).toEqual([]);
});
