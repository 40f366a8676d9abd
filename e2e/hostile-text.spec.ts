import type { Page } from '@playwright/test';
import { expect, test } from '#e2e/people.ts';

/** Texts that run a script, load a file or end their element if treated as markup. Each is short enough for a name. */
const payloads = [
  '<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'><script>alert(1)</script>",
  '</script><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  '<ScRiPt>alert(1)</sCrIpT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '"><img src=x onerror=alert(1)>',
  '<img src=x onerror="&#97;lert(1)">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<math><mtext><img src=x onerror=alert(1)>',
  '<iframe src="javascript:alert(1)">',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data="javascript:alert(1)">',
  '<embed src="javascript:alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  'javascript:alert(1)',
  '<body onload=alert(1)>',
  '<details open ontoggle=alert(1)>',
  '<input autofocus onfocus=alert(1)>',
  '<style>@import "//evil.example/x.css"</style>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<base href=//evil.example/>',
  '<meta http-equiv=refresh content="0;//evil.example">',
  '{{constructor.constructor("alert(1)")()}}',
];
const all = payloads.join('\n');
const of = (nth: number) => payloads[nth % payloads.length] as string;

/** Elements and attributes that only a successful injection would create. */
const injected =
  'img[src="x"], iframe, object, embed, base, math, style, [onerror], [onload], [ontoggle], [onfocus], [href^="javascript:" i], [href*="evil.example"]';

/** Collects the effects that a successful injection would have. */
function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on('dialog', (dialog) => {
    seen.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) seen.push(message.text());
  });
  page.on('request', (request) => {
    if (/evil\.example|\/x$/.test(request.url())) seen.push(`request ${request.url()}`);
  });
  return seen;
}

test('user-written text: is shown as text on every screen [T23]', async ({ person, club }) => {
  test.setTimeout(120_000);
  const [ada, bob] = [await person('Ada'), await person('Bob')];
  const { id } = await club([ada, bob], 'Words');
  await ada.api.members.changeRole({ club: id, member: bob.id, role: 200 });
  const { page } = bob;
  const seen = watch(page);

  for (let turn = 0; turn < payloads.length; turn += 10) {
    const names = { first_name: of(turn), last_name: of(turn + 1), user_name: of(turn + 2) };
    await ada.api.users.update(names);
    await bob.api.users.update({ first_name: of(turn + 3), last_name: of(turn + 4) });
    await ada.api.clubs.update({
      club: id,
      club_name: of(turn + 5),
      club_description: all,
      location_name: of(turn + 6),
    });
    const times = { start_time: '2090-01-01T10:00:00Z', end_time: '2090-01-01T12:00:00Z' } as const;
    const words = { name: of(turn + 7), description: all, details: all, location_name: of(turn + 8) };
    const event = await ada.api.events.create({ club: id, ...words, ...times });
    await ada.api.events.edit({ club: id, event: event.slug, name: of(turn + 9), location_name: of(turn) });
    await ada.api.updates.publish({ club: id, content: all });
    const { slug } = await bob.api.clubs.get({ club: id });

    const screens: [address: string, shown: string][] = [
      ['/app', of(turn + 3)],
      [`/app/clubs/${slug}`, of(turn + 5)],
      [`/app/clubs/${slug}/members`, of(turn)],
      [`/app/clubs/${slug}/updates`, of(turn)],
      [`/app/events/${event.slug}`, of(turn + 9)],
      ['/app/notifications', of(turn + 9)],
    ];
    for (const [address, shown] of screens) {
      await page.goto(address);
      await expect(page.getByText(shown).first()).toBeVisible();
      await expect(page.locator(injected), address).toHaveCount(0);
      expect(seen, address).toEqual([]);
    }
    await page.goto('/app/profile');
    await expect(page.getByLabel('First Name')).toHaveValue(of(turn + 3));
    await expect(page.locator(injected)).toHaveCount(0);
    expect(seen).toEqual([]);
  }
});

/** Tries to insert text as markup, as an injected script would. */
const attempts = async () => {
  const outcomes: Record<string, string> = {};
  const attempt = async (name: string, work: () => unknown) => {
    try {
      await work();
      outcomes[name] = 'done';
    } catch (error) {
      outcomes[name] = (error as Error).name;
    }
  };
  const { trustedTypes } = window as unknown as {
    trustedTypes: { createPolicy(name: string, rules: object): unknown };
  };
  await attempt('markup', () => (document.createElement('div').innerHTML = '<img src=x>'));
  await attempt('script', () => (document.createElement('script').src = '/evil.js'));
  await attempt('worker', () => navigator.serviceWorker.register('/evil.js'));
  for (const name of ['other', 'default', 'muster'])
    await attempt(`policy ${name}`, () => trustedTypes.createPolicy(name, {}));
  return outcomes;
};

test.describe('trusted types', () => {
  test.use({ serviceWorkers: 'allow' });

  test('pages create markup and scripts through the one policy only [T23]', async ({ visitor }) => {
    const { page } = await visitor();
    for (const path of ['/', '/login']) {
      await page.goto(path);
      expect(await page.evaluate(attempts)).toEqual({
        markup: 'TypeError',
        script: 'TypeError',
        worker: 'TypeError',
        'policy other': 'TypeError',
        'policy default': 'TypeError',
        'policy muster': 'TypeError',
      });
    }
  });
});
