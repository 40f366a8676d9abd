import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { expectAccessible } from '#e2e/axe.ts';
import { expectFocusIn, pressOn, tabTo } from '#e2e/keys.ts';
import { expect, origin, test } from '#e2e/people.ts';

/** A picture that is red on the left and blue on the right. */
const halves = (width: number, height: number) => {
  const half = { create: { width: width >> 1, height, channels: 3, background: '#f00' } } as const;
  return sharp({ create: { ...half.create, width, background: '#00f' } })
    .composite([{ input: half, left: 0, top: 0 }])
    .jpeg()
    .toBuffer();
};

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Choose what to show' });
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const saved = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Picture saved' });
const save = (page: Page) => dialog(page).getByRole('button', { name: 'Save picture' });

/** Chooses a file by keyboard. */
async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await pressOn(page, section(page, name).getByRole('button', { name: 'Choose a picture' }));
  await (await chooser).setFiles({ name: 'holiday.jpg', mimeType: 'image/jpeg', buffer });
}

/** The colour of a stored picture at a point, which is given as fractions of width and height. */
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

test('profile picture: other files are rejected, a picture whose upload failed is kept for a retry, and the new picture is shown right after the upload', async ({
  person,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const own = section(page, 'Your picture');
  await page.goto('/app/profile');
  await choose(page, 'Your picture', Buffer.from('I am no picture'));
  await expect(own.getByRole('alert')).toHaveText(/couldn't read this image/);
  await expect(dialog(page)).toBeHidden();

  await choose(page, 'Your picture', await halves(1200, 600));
  await expectAccessible(page);
  await ada.context.setOffline(true);
  await save(page).click();
  await expect(dialog(page).getByRole('alert')).toBeVisible();
  await expectAccessible(page);
  await ada.context.setOffline(false);
  // Hold the upload until the dialog shows its progress.
  const progress = dialog(page).getByRole('progressbar', { name: 'Upload progress' });
  await page.route(
    '**/api/v1/users/picture',
    async (route) => {
      await expect(progress).toBeVisible();
      await route.continue();
    },
    { times: 1 },
  );
  await save(page).click();
  await expect(saved(page)).toBeVisible();
  await expect(dialog(page)).toBeHidden();
  const url = (await ada.api.users.me({})).profile_picture_url ?? '';
  await expectShown(page.getByRole('button', { name: 'User menu' }).locator(`img[src="${url}"]`));
  await expectShown(own.locator(`img[src="${url}"]`));
  expect([await colourAt(url, 0.25, 0.5), await colourAt(url, 0.75, 0.5)]).toEqual(['red', 'blue']);

  await pressOn(page, own.getByRole('button', { name: 'Remove your picture' }));
  await expect(page.locator(`img[src="${url}"]`)).toHaveCount(0);
  await expect(own.getByRole('button', { name: 'Choose a picture' })).toBeVisible();
  await expectFocusIn(own);
  expect((await ada.api.users.me({})).profile_picture_url).toBeNull();
});

test('profile picture: a photo of 48 megapixels is sent as JPEG by a browser that cannot write WebP [ROBUST-08]', async ({
  person,
}) => {
  test.slow();
  const ada = await person('Ada');
  const { page } = ada;
  await page.addInitScript(() => {
    const { toBlob } = HTMLCanvasElement.prototype;
    // Browsers write PNG instead of types that they do not know.
    HTMLCanvasElement.prototype.toBlob = function (done, type, quality) {
      toBlob.call(this, done, type === 'image/webp' ? 'image/png' : type, quality);
    };
  });
  await page.goto('/app/profile');
  await choose(page, 'Your picture', await halves(8000, 6000));
  // Scaling so large a picture without a graphics card takes long on a busy machine.
  const timeout = 30_000;
  const upload = page.waitForRequest('**/api/v1/users/picture', { timeout });
  await save(page).click({ timeout });
  expect((await upload).headers()['content-type']).toBe('image/jpeg');
  await expect(saved(page)).toBeVisible();
  const url = (await ada.api.users.me({})).profile_picture_url ?? '';
  expect([await colourAt(url, 0.25, 0.5), await colourAt(url, 0.75, 0.5)]).toEqual(['red', 'blue']);
});

test('cropping: works by keyboard alone [CLUB-13]', async ({ person, club }) => {
  const ada = await person('Ada');
  const { page } = ada;
  const { keyboard } = page;
  const { slug, id } = await club([ada]);
  await page.goto(`/app/clubs/${slug}/edit`);
  const name = 'Club picture';
  const picture = dialog(page).getByRole('application');
  await choose(page, name, await halves(1200, 600));
  await expect(picture).toBeFocused();
  await keyboard.press('Escape');
  await expect(section(page, name).getByRole('button', { name: 'Choose a picture' })).toBeFocused();

  await choose(page, name, await halves(1200, 600));
  await expect(picture).toBeFocused();
  // Move the picture to its right end, where only blue is visible.
  for (let press = 0; press < 15; press++) await keyboard.press('ArrowRight');
  await keyboard.press('+');
  const zoom = dialog(page).getByRole('slider', { name: 'Zoom' });
  await tabTo(page, zoom);
  await expect(zoom).toHaveValue('1.2');
  await keyboard.press('ArrowRight');
  await expect(zoom).toHaveValue('1.25');
  await pressOn(page, save(page));
  await expect(saved(page)).toBeVisible();
  await expect(section(page, name).getByRole('button', { name: 'Change club picture' })).toBeFocused();

  const url = (await ada.api.clubs.get({ club: id })).profile_picture_url ?? '';
  expect([await colourAt(url, 0.1, 0.5), await colourAt(url, 0.9, 0.5)]).toEqual(['blue', 'blue']);
  await page.goto(`/app/clubs/${slug}`);
  await expectShown(page.locator(`header img[src="${url}"]`).first());
  await page.goto('/app');
  await expectShown(page.getByRole('main').locator(`img[src="${url}"]`));
});

test('banner: a picture can be dropped and moved with the pointer, and is shown as cropped on the club page, on wide screens at most 220 px high [CLUB-02 CLUBUX-04]', async ({
  person,
  club,
}) => {
  const ada = await person('Ada');
  const { page } = ada;
  const { slug, id } = await club([ada]);
  await page.goto(`/app/clubs/${slug}/edit`);
  // The size of a phone photo; only the visible part is uploaded.
  const bytes = [...(await halves(4000, 3000))];
  const dataTransfer = await page.evaluateHandle((content) => {
    const dropped = new DataTransfer();
    dropped.items.add(new File([new Uint8Array(content)], 'holiday.jpg', { type: 'image/jpeg' }));
    return dropped;
  }, bytes);
  for (const type of ['dragover', 'drop'])
    await section(page, 'Club banner').dispatchEvent(type, { dataTransfer });

  const picture = dialog(page).getByRole('application');
  await expect(picture).toBeVisible();
  await expect(dialog(page).getByText('Wide screens show only the part between the lines.')).toBeVisible();
  await dialog(page).getByRole('slider', { name: 'Zoom' }).fill('3');
  const box = (await picture.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 20, box.y + 20, { steps: 5 });
  await page.mouse.move(box.x + box.width + 400, box.y + 20, { steps: 5 });
  await page.mouse.up();
  const request = page.waitForRequest((sent) => sent.method() === 'POST' && sent.url().endsWith('/banner'));
  await save(page).click();
  expect((await (await request).headerValue('content-type')) ?? '').toBe('image/webp');
  await expect(saved(page)).toBeVisible();

  const url = (await ada.api.clubs.get({ club: id })).profile_banner_url ?? '';
  expect(await colourAt(url, 0.5, 0.5)).toBe('red');
  await page.goto(`/app/clubs/${slug}`);
  const banner = page.locator(`img[src="${url}"]`);
  await expectShown(banner);
  await expectAccessible(page);
  expect((await banner.boundingBox())?.height).toBe(220);
  await page.setViewportSize({ width: 390, height: 844 });
  const shown = await banner.boundingBox();
  expect((shown?.width ?? 0) / (shown?.height ?? 1)).toBeCloseTo(3, 1);
});
