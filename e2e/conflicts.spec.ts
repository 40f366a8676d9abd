import { expectAccessible } from '#e2e/axe.ts';
import { expect, joinClub, test } from '#e2e/people.ts';
import { expectToast } from '#e2e/toast.ts';

test('edit club: an admin who saves after another one keeps their input, even in a field that both changed [C23]', async ({
  ada,
  rowers,
  person,
}) => {
  const abe = await person('Abe');
  await joinClub(rowers, ada, abe);
  await ada.api.members.changeRole({ club: rowers.id, member: abe.id, role: 200 });
  const [one, other] = [ada.page, abe.page];
  for (const page of [one, other]) await page.goto(`/app/clubs/${rowers.slug}/edit`);
  await one.getByLabel('Club Name').fill('Rowers 1902');
  await one.getByLabel('Club Website').fill('rowers.example');

  await other.getByLabel('Club Location').fill('Boathouse');
  await other.getByLabel('Club Description').fill('We row at six.');
  await other.getByLabel('Club Website').fill('rowing.example');
  await other.getByRole('button', { name: 'Update Club' }).click();
  await expectToast(other, 'Success', 'You have updated this club');

  await one.getByRole('button', { name: 'Update Club' }).click();
  const notice = one.getByRole('alert').filter({ hasText: 'Someone else just changed this' });
  await expect(notice).toContainText('We loaded the newer values and kept what you typed.');
  await expect(one.getByRole('list', { name: 'Changed by both of you' })).toHaveText(
    'Club Website, as they saved it: https://rowing.example',
  );
  await expect(one.getByLabel('Club Name')).toHaveValue('Rowers 1902');
  await expect(one.getByLabel('Club Location')).toHaveValue('Boathouse');
  await expectAccessible(one);
  await one.reload();
  await expect(one.getByLabel('Club Name')).toHaveValue('Rowers 1902');
  await one.getByRole('button', { name: 'Update Club' }).click();
  await expectToast(one, 'Success', 'You have updated this club');
  const club = await abe.api.clubs.get({ club: rowers.id });
  expect(club).toMatchObject({
    club_name: 'Rowers 1902',
    location_name: 'Boathouse',
    club_description: 'We row at six.',
    meta: { website: 'https://rowers.example' },
  });
});

test('forms of events, breaks and updates: if another admin saved first, the form says so, and the next click saves both changes [C23]', async ({
  ada,
  rowers,
  run,
  person,
}) => {
  const { page } = ada;
  const { api } = await person('Abe').then(async (abe) => {
    await joinClub(rowers, ada, abe);
    await ada.api.members.changeRole({ club: rowers.id, member: abe.id, role: 200 });
    return abe;
  });
  const contested = page.getByRole('list', { name: 'Changed by both of you' });
  /** The first click shows that somebody else saved, the second one saves. */
  const saveTwice = async (button: string, text?: string) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page.getByText('Someone else just changed this')).toBeVisible();
    if (text) await expect(contested).toHaveText(text);
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page.getByText('Someone else just changed this')).toHaveCount(0);
  };
  const event = { event: run.slug, club: rowers.id };

  await page.goto(`/app/events/edit/${run.slug}`);
  await page.getByLabel('Title').fill('Night run');
  await api.events.edit({ ...event, name: 'Dawn run', location_name: 'Boathouse', capacity: 12 });
  await saveTwice('Update Event', 'Title, as they saved it: Dawn run');
  await expect(page).toHaveURL(`/app/events/${run.slug}`);
  const edited = { name: 'Night run', location_name: 'Boathouse', capacity: 12 };
  expect(await api.events.get(event)).toMatchObject(edited);

  await page.getByRole('button', { name: 'Change of plan' }).click();
  await page.getByText('New place').click();
  await page.getByRole('textbox', { name: 'New place' }).fill('Hall');
  await api.events.edit({ ...event, location_name: 'Pier 9', details: 'Bring water.' });
  await saveTwice('Send', 'New place, as they saved it: Pier 9');
  expect(await api.events.get(event)).toMatchObject({ location_name: 'Hall', details: 'Bring water.' });

  const regatta = { name: 'Regatta', first_on: '2099-06-06', last_on: '2099-06-06' };
  const camp = { name: 'Camp', first_on: '2099-07-01', last_on: '2099-07-05' };
  await page.goto(`/app/clubs/${rowers.slug}/breaks`);
  await page.getByLabel('Name').fill(camp.name);
  await page.getByLabel('First day').fill(camp.first_on);
  await page.getByLabel('Last day').fill(camp.last_on);
  await api.series.saveBreaks({ club: rowers.id, breaks: [regatta] });
  await saveTwice('Add break');
  expect(await api.series.breaks({ club: rowers.id })).toEqual([regatta, camp]);

  const update = await ada.api.updates.publish({ club: rowers.id, content: 'The boat is mended.' });
  await page.goto(`/app/clubs/${rowers.slug}/updates/${update.id}/edit`);
  await page.getByLabel('Content').fill('It floats.');
  await api.updates.edit({ club: rowers.id, update: update.id, content: 'It sinks.' });
  await saveTwice('Save Changes', 'Content, as they saved it: It sinks.');
  expect(await api.updates.ofClub({ club: rowers.id })).toMatchObject([{ content: 'It floats.' }]);
});
