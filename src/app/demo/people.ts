/** The people of the demo: key (local part of the email address), first name, last name. */
const lines = `
ada|Ada|Sinclair
callum|Callum|Reid
zoe|Zoë|Lindqvist
lukasz|Łukasz|Wójcik
priya|Priya|Raman
fergus|Fergus|MacAulay
ines|Inês|Carvalho
tom|Tom|Okafor
siobhan|Siobhán|Ní Bhriain
marek|Marek|Dvořák
hannah|Hannah|Whitlock
dev|Dev|Malhotra
isla|Isla|Buchanan
yusuf|Yusuf|Çelik
greta|Greta|Nørgaard
rory|Rory|Ferguson
amelie|Amélie|Rousseau
kofi|Kofi|Mensah
beth|Beth|Armitage
santi|Santiago|Peña
morag|Morag|Drummond
nils|Nils|Åkesson
leila|Leila|Haddad
ewan|Ewan|Kerr
chiara|Chiara|D’Angelo
omar|Omar|Siddiqui
freya|Freya|Thomsen
jack|Jack|Pemberton-Shaw
wanjiru|Wanjirũ|Kamau
petra|Petra|Novotná
duncan|Duncan|Laing
thi|Thị Mai|Nguyễn
owen|Owen|Pritchard
sofia|София|Петрова
gus|Gus|Adeyemi
new||
jonas|Jonas|Krüger
noor|Noor|van der Velde
emre|Emre|Yıldız
lena|Lena|Schäfer
mateusz|Mateusz|Górski
fatima|Fatima|El Amrani
till|Till|Weiß
ana|Ana|Kovačević
henrik|Henrik|Sørensen
mina|Mina|Rezaei
paul|Paul|Großmann
agnieszka|Agnieszka|Żak
dario|Dario|Ferri
rosa|Rosa|Lemke
kwame|Kwame|Boateng
jule|Jule|Brandt
misaki|美咲|佐藤
kenji|健二|田中
haruka|Haruka|Fujimoto
alex|Alex|Moreau
yui|結衣|渡辺
daniel|Daniel|Østergaard
sora|Sora|Kim
emi|Emi|Nakagawa`;

interface DemoPerson {
  /** Local part of the email address. */
  key: string;
  first_name: string;
  last_name: string;
}

export const people: DemoPerson[] = lines
  .trim()
  .split('\n')
  .map((line) => {
    const [key = '', first_name = '', last_name = ''] = line.split('|');
    return { key, first_name, last_name };
  });

/** The keys from one person to another, inclusive, in the order of the list. */
export function from(first: string, last: string): string[] {
  const keys = people.map(({ key }) => key);
  return keys.slice(keys.indexOf(first), keys.indexOf(last) + 1);
}
