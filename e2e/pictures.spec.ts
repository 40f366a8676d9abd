import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { expectAccessible } from '#e2e/axe.ts';
import { pressOn } from '#e2e/keys.ts';
import { expect, origin, test } from '#e2e/people.ts';

/** A picture that is red on the left and blue on the right. */
const halves = (width: number, height: number) => {
  const half = { create: { width: width >> 1, height, channels: 3, background: '#f00' } } as const;
  return sharp({ create: { ...half.create, width, background: '#00f' } })
    .composite([{ input: half, left: 0, top: 0 }])
    .jpeg()
    .toBuffer();
};

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Choose what is shown' });
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const saved = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Picture saved' });

async function choose(page: Page, name: string, buffer: Buffer, mimeType = 'image/jpeg'): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await section(page, name)
    .getByRole('button', { name: /Choose a picture|Change/ })
    .click();
  await (await chooser).setFiles({ name: 'holiday.jpg', mimeType, buffer });
}

/** The red and blue of a stored picture at a point, given as fractions of width and height. */
async function colourAt(url: string, x: number, y: number): Promise<'red' | 'blue' | 'other'> {
  const bytes = Buffer.from(await (await fetch(origin() + url)).arrayBuffer());
  const { width, height } = await sharp(bytes).metadata();
  const place = { left: Math.floor(x * width), top: Math.floor(y * height), width: 1, height: 1 };
  const [red = 0, , blue = 0] = await sharp(bytes).extract(place).raw().toBuffer();
  return red > 200 && blue < 60 ? 'red' : blue > 200 && red < 60 ? 'blue' : 'other';
}

/** Expects that an image has loaded. */
const expectShown = (image: Locator) =>
  expect
    .poll(() => image.evaluate((element: HTMLImageElement) => element.complete && element.naturalWidth > 0))
    .toBe(true);

test('profile picture: is shown in the header right after the upload', async ({ person }) => {
  const ada = await person('Ada');
  const { page } = ada;
  await page.goto('/app/profile');
  await expectAccessible(page);
  await choose(page, 'Your picture', await halves(1200, 600));
  await expect(dialog(page)).toBeVisible();
  await expectAccessible(page);
  // The upload shows its progress.
  const progress = dialog(page).getByRole('progressbar', { name: 'Sent' });
  await page.route(
    '**/api/v1/users/picture',
    async (route) => {
      await expect(progress).toBeVisible();
      await route.continue();
    },
    { times: 1 },
  );
  await dialog(page).getByRole('button', { name: 'Save picture' }).click();
  await expect(saved(page)).toBeVisible();
  await expect(dialog(page)).toBeHidden();
  const url = (await ada.api.users.me({})).profile_picture_url ?? '';
  await expectShown(page.getByRole('button', { name: 'User menu' }).locator(`img[src="${url}"]`));
  await expectShown(section(page, 'Your picture').locator(`img[src="${url}"]`));
  expect([await colourAt(url, 0.25, 0.5), await colourAt(url, 0.75, 0.5)]).toEqual(['red', 'blue']);

  await section(page, 'Your picture').getByRole('button', { name: 'Remove your picture' }).click();
  await expect(page.locator(`img[src="${url}"]`)).toHaveCount(0);
  await expect(section(page, 'Your picture').getByRole('button', { name: 'Choose a picture' })).toBeVisible();
  expect((await ada.api.users.me({})).profile_picture_url).toBeNull();
});

test('cropping: works by keyboard alone [CLUB-13]', async ({ person, club }) => {
  const ada = await person('Ada');
  const { page } = ada;
  const { slug, id } = await club([ada]);
  await page.goto(`/app/clubs/${slug}/edit`);
  const button = section(page, 'Club picture').getByRole('button', { name: 'Choose a picture' });
  const chooser = page.waitForEvent('filechooser');
  await pressOn(page, button);
  await (await chooser).setFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: await halves(1200, 600) });

  const picture = dialog(page).getByRole('application');
  await expect(picture).toBeFocused();
  // Moved to the right end: only blue is visible.
  for (let press = 0; press < 15; press++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  const zoom = dialog(page).getByRole('slider', { name: 'Zoom' });
  await expect(zoom).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(zoom).toHaveValue('1.05');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(dialog(page).getByRole('button', { name: 'Save picture' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(saved(page)).toBeVisible();
  await expect(
    section(page, 'Club picture').getByRole('button', { name: 'Change club picture' }),
  ).toBeFocused();

  const url = (await ada.api.clubs.get({ club: id })).profile_picture_url ?? '';
  expect([await colourAt(url, 0.1, 0.5), await colourAt(url, 0.9, 0.5)]).toEqual(['blue', 'blue']);
  await page.goto(`/app/clubs/${slug}`);
  await expectShown(page.locator(`header img[src="${url}"]`).first());
  await page.goto('/app');
  await expectShown(page.getByRole('main').locator(`img[src="${url}"]`));
});

test('banner: can be dropped, moved with the pointer, and is shown on the club page [CLUB-02]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const { slug, id } = await club([ada]);
  await page.goto(`/app/clubs/${slug}/edit`);
  // The size of a phone photo; only the visible part is uploaded.
  const bytes = [...(await halves(4000, 3000))];
  const transfer = await page.evaluateHandle((content) => {
    const dropped = new DataTransfer();
    dropped.items.add(new File([new Uint8Array(content)], 'holiday.jpg', { type: 'image/jpeg' }));
    return dropped;
  }, bytes);
  const zone = section(page, 'Club banner');
  await zone.dispatchEvent('dragover', { dataTransfer: transfer });
  await zone.dispatchEvent('drop', { dataTransfer: transfer });

  const picture = dialog(page).getByRole('application');
  await expect(picture).toBeVisible();
  await dialog(page).getByRole('slider', { name: 'Zoom' }).fill('3');
  const box = (await picture.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 20, box.y + 20, { steps: 5 });
  await page.mouse.move(box.x + box.width + 400, box.y + 20, { steps: 5 });
  await page.mouse.up();
  const request = page.waitForRequest((sent) => sent.method() === 'POST' && sent.url().endsWith('/banner'));
  await dialog(page).getByRole('button', { name: 'Save picture' }).click();
  expect((await (await request).headerValue('content-type')) ?? '').toBe('image/webp');
  await expect(saved(page)).toBeVisible();

  const url = (await ada.api.clubs.get({ club: id })).profile_banner_url ?? '';
  expect(await colourAt(url, 0.5, 0.5)).toBe('red');
  await page.goto(`/app/clubs/${slug}`);
  await expectShown(page.locator(`img[src="${url}"]`));
  await expectAccessible(page);
});

test('upload: rejects other files, and keeps a failed picture for a retry', async ({ person }) => {
  const ada = await person('Ada');
  const { page } = ada;
  await page.goto('/app/profile');
  await choose(page, 'Your picture', Buffer.from('I am no picture'));
  await expect(section(page, 'Your picture').getByRole('alert')).toHaveText(/no picture that can be read/);
  await expect(dialog(page)).toBeHidden();
  await choose(page, 'Your picture', await readFile(new URL(import.meta.url)), 'image/png');
  await expect(section(page, 'Your picture').getByRole('alert')).toHaveText(/no picture that can be read/);

  await choose(page, 'Your picture', await halves(300, 300));
  await expect(dialog(page)).toBeVisible();
  await ada.context.setOffline(true);
  await dialog(page).getByRole('button', { name: 'Save picture' }).click();
  await expect(dialog(page).getByRole('alert')).toBeVisible();
  await expectAccessible(page);
  await ada.context.setOffline(false);
  await dialog(page).getByRole('button', { name: 'Save picture' }).click();
  await expect(saved(page)).toBeVisible();
  expect((await ada.api.users.me({})).profile_picture_url).not.toBeNull();
});
