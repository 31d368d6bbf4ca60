/** A certificate that vouches for itself, for this machine and a hundred years, and keys: for tests alone. */

/** For `localhost` and its addresses. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBrjCCAVSgAwIBAgIUUvQcOiF169wv/egKW58rMTHEbCkwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDEyMzU1MloYDzIxMjYxMDI3
MTIzNTUyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQlwNG5eIlZbaGAlc60Wce8xcgkcttehfujKvZ6gAx8bSc8RPhYQ4kj
kiV2MT9x925b/DQjumsUBrhNXgOmkgwso4GBMH8wHQYDVR0OBBYEFP1j5tP5BWyp
UyhFvW34RiphCevIMB8GA1UdIwQYMBaAFP1j5tP5BWypUyhFvW34RiphCevIMA8G
A1UdEwEB/wQFMAMBAf8wLAYDVR0RBCUwI4IJbG9jYWxob3N0hwR/AAABhxAAAAAA
AAAAAAAAAAAAAAABMAoGCCqGSM49BAMCA0gAMEUCIQCdSQ4JeFEPmlkpV6QP5PXH
+r7hRQ1eCug00PMVxVZ5BwIgVdS3keX3HTiqMQFcUtx7DBPn5i/OR06TCabCZg96
DrY=
-----END CERTIFICATE-----
`;

/** Its private key. */
export const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9MNrYl1o4sEEFEu/
9jYDQJDPaYgjvQAt9fdSvcJJFIWhRANCAAQlwNG5eIlZbaGAlc60Wce8xcgkctte
hfujKvZ6gAx8bSc8RPhYQ4kjkiV2MT9x925b/DQjumsUBrhNXgOmkgws
-----END PRIVATE KEY-----
`;

/** The private key of another one. */
export const otherKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgup5sBLGBkPG7hG9N
GtRCU0hBuVDSbc6HS7FCaMdzGDmhRANCAARutD4p+DDZ7oGNLrK7uKtaBEiYHvfN
JXUC0AoZimtBa+AKSVgtyzeDV3fCt9TTmP92D+2EDFv/VgZcyrac6uV4
-----END PRIVATE KEY-----
`;

/** The right private key, behind a passphrase. */
export const lockedKey = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhCJ899cU6hggICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMuI0tpPYHrU6/F9V03Poh0EgZDO
8L1dEbeGJ02y7ibcDbIZNyrAl7h8urHWujIW+MwqhLdXvgzxPeHBQkbx+ScjdQx5
4NR9HoWhC1wJ8Cd/lPczMiODayPJoB3E1YgOk8SKiQiEglHQeaYHmVewtvCxSK2h
b3u0GQo/m5nYzC+5gjvjnw8TElFO+Sj6BVUReNRxAdKCx969ZaxxMSux/FRgQQI=
-----END ENCRYPTED PRIVATE KEY-----
`;
