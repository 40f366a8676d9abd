import { open, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expectAccessible } from '#e2e/axe.ts';
import { expect, test as base } from '#e2e/people.ts';
import { startProcess } from '#e2e/server.ts';
import { scratch } from '#test/scratch-directory.ts';

const unset = Object.fromEntries(
  ['SUPPORT_EMAIL', 'MAKER_NAME', 'MAKER_URL', 'DEVELOPER_NAME', 'DEVELOPER_URL', 'DONATE_URL'].map(
    (name) => [name, ''],
  ),
);

/** A test with an app that has no settings except its address. `printed` returns the app's terminal output. */
const test = base.extend<{ bare: { printed(): Promise<string> } }>({
  bare: [
    async ({}, use) => {
      const dataDir = await mkdtemp(join(scratch, 'muster-e2e-'));
      const terminal = await open(join(dataDir, 'terminal'), 'w');
      const before = { ...process.env };
      const { origin, end } = await startProcess({ ...unset, DATA_DIR: dataDir }, undefined, terminal.fd);
      Object.assign(process.env, { E2E_ORIGIN: origin, E2E_DATA_DIR: dataDir });
      await use({ printed: () => readFile(join(dataDir, 'terminal'), 'utf8') });
      Object.assign(process.env, before);
      await end('SIGINT');
      await terminal.close();
      await rm(dataDir, { recursive: true, force: true });
    },
    { timeout: 60_000 },
  ],
});

test('defaults: the Support link leads to the contact section, the maker link to the landing page, and the app lists missing settings when it starts [LOGIN-04 LAND-19]', async ({
  bare,
  visitor,
  ada,
  rowers,
}) => {
  const { page } = await visitor();
  const contact = page.locator('#contact');
  const whom =
    /^Contact\s*No support email is set up for this site\..* ask an admin of your club or the person who sent you here\./;

  await page.goto('/login');
  await page.getByRole('link', { name: 'Support' }).click();
  await expect(page).toHaveURL('/privacy-policy#contact');
  await expect(contact).toHaveText(whom);
  // Members read no instructions for operators.
  await expect(contact).not.toContainText('SUPPORT_EMAIL');
  await expect(contact).toBeInViewport();
  await expect(contact.getByRole('link')).toHaveCount(0);
  await page.reload();
  await expect(contact).toBeInViewport();
  await expectAccessible(page);

  await page.goto('/');
  const maker = page.getByRole('contentinfo').getByRole('link', { name: 'Muster Consulting' });
  await expect(maker).toHaveAttribute('href', '/');
  await expect(maker).not.toHaveAttribute('target');
  await maker.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Organise your Club');

  await ada.page.goto(`/app/clubs/${rowers.slug}/updates`);
  await ada.page.getByRole('contentinfo').getByRole('link', { name: 'Support' }).click();
  await expect(ada.page.locator('#contact')).toHaveText(whom);
  await expect(ada.page.locator('#contact')).toBeInViewport();

  await expect
    .poll(bare.printed)
    .toMatch(
      /^Not configured: SMTP_URL \(emails go to \S+outbox\), MAIL_FROM \(.+\), SUPPORT_EMAIL \(.+\), MAKER_URL \(.+\), DONATE_URL \(.+\), STRIPE_SECRET_KEY \(.+\)\. See \.env\.example\.$/m,
    );
});
