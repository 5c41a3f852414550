package places

// tokenKey is the metadata that names the upload which has made an object.
const tokenKey = "Sluice-Upload"
